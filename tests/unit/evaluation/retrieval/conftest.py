"""The shop and its index, as the tests of search have them."""

from tests.unit.graph.search.conftest import corpus, onnx, shop

__all__ = ["corpus", "onnx", "shop"]
