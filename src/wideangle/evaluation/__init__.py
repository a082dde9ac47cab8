"""Arrays in, numbers out: what the paper measures, and what shows whether components are diverse."""

from wideangle.evaluation.clustering import (
    ClusteringScores,
    clustering_accuracy,
    kmeans_scores,
    normalized_mutual_information,
)
from wideangle.evaluation.coherence import coherence, document_npmi
from wideangle.evaluation.comparing import Comparison, compare_runs, holm
from wideangle.evaluation.coverage import Coverage, coverage_by_rank, topic_coverage
from wideangle.evaluation.diversity import (
    AngleSummary,
    angle_matrix,
    angle_summary,
    redundant_pairs,
    topic_diversity,
    topic_overlap,
)
from wideangle.evaluation.halves import half_agreement, half_retrieval, split_words
from wideangle.evaluation.leave_one_out import precision_among
from wideangle.evaluation.longtail import ClassRow, HeadTail, MacroAverage, class_table, head_and_tail, macro_average
from wideangle.evaluation.own_topics import classes_with_own_topic
from wideangle.evaluation.perplexity import per_word_perplexity, perplexity
from wideangle.evaluation.retrieval import (
    NearestRows,
    knn_accuracy,
    knn_correct,
    nearest_rows,
    pair_average_precision,
    precision_at_k,
    precision_ceiling,
    precision_per_query,
)

__all__ = [
    "AngleSummary",
    "ClassRow",
    "ClusteringScores",
    "Comparison",
    "Coverage",
    "HeadTail",
    "MacroAverage",
    "NearestRows",
    "angle_matrix",
    "angle_summary",
    "class_table",
    "classes_with_own_topic",
    "clustering_accuracy",
    "coherence",
    "compare_runs",
    "coverage_by_rank",
    "document_npmi",
    "half_agreement",
    "half_retrieval",
    "head_and_tail",
    "holm",
    "kmeans_scores",
    "knn_accuracy",
    "knn_correct",
    "macro_average",
    "nearest_rows",
    "normalized_mutual_information",
    "pair_average_precision",
    "per_word_perplexity",
    "perplexity",
    "precision_among",
    "precision_at_k",
    "precision_ceiling",
    "precision_per_query",
    "redundant_pairs",
    "split_words",
    "topic_coverage",
    "topic_diversity",
    "topic_overlap",
]
