"""A document as it is read, and what a model file keeps of documents: how they were read and what the model sees."""

from wideangle.documents.beginnings import KEPT as KEPT
from wideangle.documents.beginnings import KEPT_IN_ALL as KEPT_IN_ALL
from wideangle.documents.beginnings import SNIPPET as SNIPPET
from wideangle.documents.beginnings import KeptTexts as KeptTexts
from wideangle.documents.beginnings import cut_at_word as cut_at_word
from wideangle.documents.beginnings import kept_text as kept_text
from wideangle.documents.beginnings import snippet as snippet
from wideangle.documents.collection import Documents
from wideangle.documents.collection import in_grey as in_grey
from wideangle.documents.document import NO_DATE as NO_DATE
from wideangle.documents.document import NO_LABEL, Document, Reading, class_names
from wideangle.documents.packed_lists import Strings, WordLists

__all__ = ["NO_LABEL", "Document", "Documents", "Reading", "Strings", "WordLists", "class_names"]

# Messages name these by the room that users import them from.
Documents.__module__ = Reading.__module__ = __name__
