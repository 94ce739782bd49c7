"""A gate as JUnit XML, as Markdown and as annotations of a job."""
