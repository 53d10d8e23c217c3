"""What Schemathesis cannot read from the OpenAPI documents of Portico."""

import json
import os
import urllib.request

import schemathesis

ACCOUNTS_URL = os.environ.get("ACCOUNTS_URL", "")

# Rules that no keyword expresses, by what the response says of them. All other rules are keywords, so that data
# which the description allows is never refused with "Validation failed" for another reason than these.
UNEXPRESSED = {
    "Passwords do not match": "a field repeats another one",
    "Last name is required": "depends on whether the account has one",
    "Current password is required": "depends on whether the account has a password",
    "Password is required": "depends on whether the account has a password",
    "Date of birth must be a date in the past, such as 1990-12-31": "depends on the day",
    "Must be a path of this site, such as /account": "the URL parser decides",
    "must be an http or https URL": "the URL parser decides",
    "Send exactly one of": "`oneOf` would express it, and client generators make types without fields of that",
    "File must be": "the image decoder decides",
    "File is": "the image decoder decides",
}


if ACCOUNTS_URL:

    @schemathesis.auth(refresh_interval=None)
    class FreshAccount:
        """Signs each case in with an account of its own: some operations end the session or delete the account."""

        def get(self, case, context):
            with urllib.request.urlopen(ACCOUNTS_URL) as response:
                return json.load(response)

        def set(self, case, account, context):
            case.headers["Authorization"] = f"Bearer {account['accessToken']}"
            case.headers["X-Session-Id"] = account["sessionId"]


@schemathesis.hook
def map_body(context, body):
    """Repeats the password, which data from a schema never does."""
    if isinstance(body, dict) and "confirmPassword" in body:
        for field in ("password", "newPassword"):
            if isinstance(body.get(field), str):
                return {**body, "confirmPassword": body[field]}
    return body


@schemathesis.check
def refused_for_unexpressed_rules_only(ctx, response, case):
    """Data that the description allows may be refused only by a rule that no keyword expresses."""
    if response.status_code != 400 or not case.meta or not case.meta.generation.mode.is_positive:
        return
    body = response.json()
    errors = [body["error"]] if "error" in body else body.get("errors", [])
    unknown = [error for error in errors if not any(known in error["message"] for known in UNEXPRESSED)]
    assert not unknown, f"refused though the description allows it: {unknown}"
