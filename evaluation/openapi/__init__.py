"""Retrieval over OpenAPI catalogues, which have no process layer: does the default retriever lose anything there?"""
