"""Models of documents that ours are compared with. Each is imported on first use, as the catalogue says."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from wideangle.catalogue import homes_in

if TYPE_CHECKING:  # Type checkers cannot read the catalogue. A test compares the two lists.
    from wideangle.baselines.documents.bag_of_words import BagOfWords as BagOfWords
    from wideangle.baselines.documents.docnade import DocNADE as DocNADE
    from wideangle.baselines.documents.dpp_lda import DPPLDA as DPPLDA
    from wideangle.baselines.documents.lda import LDA as LDA
    from wideangle.baselines.documents.lida import LIDA as LIDA
    from wideangle.baselines.documents.lsi import LSI as LSI
    from wideangle.baselines.documents.nmf import NMF as NMF
    from wideangle.baselines.documents.paragraph_vector import ParagraphVector as ParagraphVector
    from wideangle.baselines.documents.pitman_yor import PitmanYorTopicModel as PitmanYorTopicModel
    from wideangle.baselines.documents.tf_idf import TfIdf as TfIdf

_HOME = homes_in("wideangle.baselines.documents")

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(
            f"module 'wideangle.baselines.documents' has no attribute {name!r}; it has {', '.join(__all__)}"
        )
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
