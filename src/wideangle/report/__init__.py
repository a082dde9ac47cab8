"""The explorer page: one HTML file that shows what a model learned, alone or beside another."""

from wideangle.report.explorer import explore
from wideangle.report.page import Page

__all__ = ["Page", "explore"]
