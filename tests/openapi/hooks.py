"""What schemathesis does not know of this server."""

from schemathesis.specs.openapi import checks

# Wrong passwords have to wait after the fifth: then the refusal is 429.
checks.AUTH_REJECTION_STATUSES = frozenset({401, 403, 429})
