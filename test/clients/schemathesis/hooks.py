"""What schemathesis cannot know of this API. Each exception has its reason, and covers one problem only."""

import json
import re

import schemathesis
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

ndjson = ("application/x-ndjson", "application/ndjson")


@schemathesis.serializer(*ndjson)
def write_lines(ctx, value):
    """The body of a bulk store is a text, whatever the document of its lines is."""
    return value.encode(errors="replace") if isinstance(value, str) else json.dumps(value).encode()


@schemathesis.deserializer(*ndjson)
def read_lines(ctx, response):
    """The schema describes one line. The first says whether it holds; tests of the project read them all."""
    lines = response.content.decode().splitlines()
    return json.loads(lines[0]) if lines else {"line": 1, "status": 200}


# Problems of requests that fit the schema, and cannot be told from it.
OF_THE_STATE = {
    "position-unknown": "a position is a text of this log, or a time",
    "cursor-invalid": "a cursor is a text that the server made for the same list",
    "revision-mismatch": "an ETag names a revision",
    "etag-invalid": "a revision from an answer is filled in, without the quotes of an ETag",
    "idempotency-key-reused": "a key belongs to the first body that was sent with it",
    "headers-too-large": "the limit is of URL and headers together",
    "position-timeout": "waitMs may be a millisecond",
}

# Rules among fields, or about what exists: (operation, field, message, reason).
# The document says the first two in words: the schemas of events come from the same definitions, and never change.
AMONG_FIELDS = [
    (".*", ".*", "contains a control character|contains U\\+0000|contains a lone surrogate", "texts that cannot be stored"),
    (".*", ".*", "empty or only white space|must name a user", "blank texts"),
    (".*", r"scope\..*", "is required for the layer", "a layer needs its identifier"),
    (".*", ".*", "no memory that this caller can see|not the id of a memory in the answer", "ids of what exists"),
    (".*", ".*", "cannot be linked to itself", "source and target differ"),
    (".*", ".*", "twice|more than once", "lists without repetition"),
    (".*", r"filter(\..*)?", ".*", "the language of filters"),
    ("recordTrace", r"memoriesHelpful\..*", "must be among memoriesUsed", "a part of another list"),
    ("putMemory", r"layer|scope(\..*)?", "is immutable", "the memory with this externalId has its place"),
    ("rebuildProjection", "embedder", "is for vectors only", "a model belongs to vectors"),
    ("keepCosignature", ".*", ".*", "signed notes"),
    ("verifyLog", "against", "a note is a text", "signed notes"),
    (".*", "spaces", "is not configured", "labels of spaces that exist, where a tenant is strict"),
    ("(put|patch)Source", "schedule|url|path", ".*", "patterns of cron, addresses and folders are texts with rules of their own"),
    ("(post|put)Document", "text", "send one of", "one of several fields"),
    ("(post|put)Document", "base64", "must be base64", "an alphabet"),
    ("decideReview", "decision", "keep is for memories that are found", "what waits says which decisions there are"),
    ("whatIf", "searches|without.*", "must be given", "one of several fields"),
]


@schemathesis.check
def accepts_valid_data(ctx, response, case):
    """Schemathesis' own check of good requests, without refusals for reasons that no schema states."""
    if response.status_code in (400, 412, 422, 431, 504):
        problem = response.json()
        if problem["code"] in OF_THE_STATE:
            return None
        operation = case.operation.definition.raw["operationId"]
        if problem["code"] == "validation-failed" and all(
            any(
                re.fullmatch(of, operation) and re.fullmatch(field, error["path"]) and re.search(message, error["message"])
                for of, field, message, _ in AMONG_FIELDS
            )
            for error in problem["errors"]
        ):
            return None
    return positive_data_acceptance(ctx, response, case)


@schemathesis.check
def rejects_invalid_data(ctx, response, case):
    """Schemathesis' own check of bad requests, but for headers that it invents, which HTTP has ignored, and for deadlines, which are fixed."""
    if "x-schemathesis-unknown-property" in (case.headers or {}):
        return None
    phase = getattr(case.meta, "phase", None)
    parameter = getattr(getattr(phase, "data", None), "parameter", None)
    if (parameter or "").lower() == "x-request-timeout":
        return None
    return negative_data_rejection(ctx, response, case)
