"""A fitted model as people look at it: its components, their words and angles, and what it makes of rows.

Notebooks, the commands, the page and tuning all use this view, so that they show the same words, angles and neighbours.
"""

from wideangle.evaluation._preparing import Metric as Metric
from wideangle.view.column_words import first_columns as first_columns
from wideangle.view.column_words import numbered_columns as numbered_columns
from wideangle.view.model_view import By as By
from wideangle.view.model_view import ModelView as ModelView
from wideangle.view.searchable import QUERY_SHARE as QUERY_SHARE
from wideangle.view.searchable import Searchable as Searchable
from wideangle.view.searchable import gives_logits as gives_logits
from wideangle.view.searchable import representation_of as representation_of
from wideangle.view.searchable import transform_metric as transform_metric
from wideangle.view.shown_angles import Directions as Directions
from wideangle.view.shown_angles import Seen as Seen

ModelView.__module__ = __name__  # Messages name it by the room that users import it from.
