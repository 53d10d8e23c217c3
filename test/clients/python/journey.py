"""Signs up, verifies, logs in, reads details, refreshes and logs out with the generated client for Python."""

import json
import os
import re
import urllib.parse
import urllib.request

import portico
from portico import AccountApi, ApiClient, ApiException, Configuration, ErrorCode, SessionsApi

URL = os.environ["PORTICO_URL"]
EMAIL = os.environ["PORTICO_EMAIL"]
PASSWORD = "Correct-Horse-Battery-7"


def client(access_token=None, session_id=None):
    configuration = Configuration(host=URL, access_token=access_token)
    if session_id:
        configuration.api_key["sessionId"] = str(session_id)
    return ApiClient(configuration)


def mailed_code():
    address = f"{URL}/dev/mailbox?to={urllib.parse.quote(EMAIL)}"
    request = urllib.request.Request(address, headers={"Accept": "application/json"})
    with urllib.request.urlopen(request) as response:
        text = json.load(response)["mails"][0]["text"]
    return re.search(r"^ {4}(\d{6})$", text, re.MULTILINE)[1]


def code_of(call):
    try:
        call()
    except ApiException as error:
        return ErrorCode(error.data.code)
    raise AssertionError("the call was not refused")


accounts = AccountApi(client())
created = accounts.create_account(
    portico.CreateAccountRequest(
        first_name="Ada", last_name="Lovelace", email=EMAIL, password=PASSWORD, confirm_password=PASSWORD
    )
)
assert created.success and created.data.email == EMAIL

credentials = portico.LogInRequest(email=EMAIL, password=PASSWORD)
assert code_of(lambda: accounts.log_in(credentials)) == ErrorCode.EMAIL_NOT_VERIFIED

verified = accounts.verify_email(portico.VerifyEmailRequest(email=EMAIL, verification_code=mailed_code()))
assert verified.data.user.email == EMAIL

data = accounts.log_in(credentials).data
session_id = data.session.session_id

user = AccountApi(client(data.access_token, session_id)).read_profile().data.user
assert user.email == EMAIL and user.dob is None and user.auth_method == portico.AuthMethod.EMAIL

sessions = SessionsApi(client()).refresh_token(
    session_id, portico.RefreshTokenRequest(refresh_token=data.refresh_token)
)
signed_in = client(sessions.data.access_token, session_id)
listed = SessionsApi(signed_in).list_sessions().data.sessions
assert len(listed) == 2 and all(session.location is None for session in listed)

assert SessionsApi(signed_in).log_out().success
assert code_of(lambda: AccountApi(signed_in).read_profile()) == ErrorCode.AUTHENTICATION_REQUIRED
