"""The pinned calls. A commit runs those of its own tree, written for its own face.

A file has `CASES`: name → a function that takes a folder for rows and makes a call without
arguments. Its answer is plain data, which has to be the same at both commits. `calls` are repeated
in a process, `starts` and `peaks` run once in a new one.
"""
