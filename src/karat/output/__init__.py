"""Results for readers: text, terminal, HTML, Markdown, LaTeX, JSON, frames and pictures."""
