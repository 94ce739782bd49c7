"""Reports and comparisons as one HTML file each: no network, no second file."""

from karat.output.html.page import comparison_to_html, report_to_html

__all__ = ["comparison_to_html", "report_to_html"]
