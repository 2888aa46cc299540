"""What this evaluation may raise; every message names the file and the element, and says what to do.

OpenApiError
├── DocumentError     a file is no OpenAPI 3 or Swagger 2 document, or a part of it cannot be read
└── CatalogueError    a folder holds no catalogue with queries, or a query names an operation that no document has
"""


class OpenApiError(Exception):
    """Base of the package's errors."""


class DocumentError(OpenApiError):
    """Bad JSON or YAML, another format, a ``$ref`` that leads nowhere."""


class CatalogueError(OpenApiError):
    """Queries and documents do not fit one another."""
