"""Topics for people: groups of documents in a model's representation, their words, names and tree."""

from wideangle.topics.finding import find_topics, group_documents
from wideangle.topics.found import Assignment, Topic, Topics
from wideangle.topics.levels import FoundLevel
from wideangle.topics.matching import match_topics
from wideangle.topics.telling_words import word_scores
from wideangle.topics.tree import TopicTree

__all__ = [
    "Assignment",
    "FoundLevel",
    "Topic",
    "TopicTree",
    "Topics",
    "find_topics",
    "group_documents",
    "match_topics",
    "word_scores",
]
