//! Signs up, verifies, logs in, reads details, refreshes and logs out with the generated client for Rust.

use portico::apis::account_api::{create_account, log_in, read_profile, verify_email};
use portico::apis::configuration::{ApiKey, Configuration};
use portico::apis::sessions_api::{list_sessions, log_out, refresh_token};
use portico::apis::Error;
use portico::models::{
    AuthMethod, CreateAccountRequest, ErrorCode, Failure, LogInRequest, RefreshTokenRequest, VerifyEmailRequest,
};
use std::env::var;
use std::fmt::Debug;

const PASSWORD: &str = "Correct-Horse-Battery-7";

fn client(url: &str, credentials: Option<(&str, &str)>) -> Configuration {
    let mut configuration = Configuration::new();
    configuration.base_path = url.to_owned();
    if let Some((access_token, session_id)) = credentials {
        configuration.bearer_access_token = Some(access_token.to_owned());
        configuration.api_key = Some(ApiKey { prefix: None, key: session_id.to_owned() });
    }
    configuration
}

fn code_of<Value: Debug, Entity: Debug>(result: Result<Value, Error<Entity>>) -> ErrorCode {
    match result {
        Err(Error::ResponseError(refused)) => {
            let failure: Failure = serde_json::from_str(&refused.content).expect("the envelope of an error");
            serde_json::from_value(failure.code.into()).expect("a known code")
        }
        other => panic!("the call was not refused: {other:?}"),
    }
}

async fn mailed_code(url: &str, email: &str) -> String {
    let request = reqwest::Client::new().get(format!("{url}/dev/mailbox?to={email}"));
    let response = request.header("Accept", "application/json").send().await.expect("the mailbox");
    let mailbox: serde_json::Value = response.json().await.expect("JSON");
    let text = mailbox["mails"][0]["text"].as_str().expect("a mail").to_owned();
    let is_code = |line: &&str| line.starts_with("    ") && line.trim().len() == 6;
    text.lines().find(is_code).expect("a code").trim().to_owned()
}

#[tokio::main]
async fn main() {
    let url = var("PORTICO_URL").expect("PORTICO_URL");
    let email = var("PORTICO_EMAIL").expect("PORTICO_EMAIL");
    let anyone = client(&url, None);

    let registration = CreateAccountRequest {
        first_name: "Ada".into(),
        last_name: "Lovelace".into(),
        email: email.clone(),
        password: PASSWORD.into(),
        confirm_password: PASSWORD.into(),
        // Optional fields, of which later versions may add more.
        ..Default::default()
    };
    let created = create_account(&anyone, registration).await.expect("an account");
    assert!(created.success && created.data.email == email);

    let credentials = LogInRequest { email: email.clone(), password: PASSWORD.into() };
    assert_eq!(code_of(log_in(&anyone, credentials.clone()).await), ErrorCode::EmailNotVerified);

    let verification_code = mailed_code(&url, &email).await;
    let verification = VerifyEmailRequest { email: email.clone(), verification_code };
    assert_eq!(verify_email(&anyone, verification).await.expect("a verification").data.user.email, email);

    let data = log_in(&anyone, credentials).await.expect("a session").data;
    let session_id = data.session.session_id.to_string();

    let reader = client(&url, Some((&data.access_token, &session_id)));
    let user = read_profile(&reader).await.expect("a profile").data.user;
    assert!(user.email == email && user.dob.is_none() && user.auth_method == AuthMethod::Email);

    let refresh = RefreshTokenRequest { refresh_token: data.refresh_token.clone() };
    let pair = refresh_token(&anyone, &session_id, refresh).await.expect("a token pair").data;
    let signed_in = client(&url, Some((&pair.access_token, &session_id)));
    let sessions = list_sessions(&signed_in).await.expect("sessions").data.sessions;
    assert!(sessions.len() == 2 && sessions.iter().all(|session| session.location.is_none()));

    assert!(log_out(&signed_in).await.expect("a log-out").success);
    assert_eq!(code_of(read_profile(&signed_in).await), ErrorCode::AuthenticationRequired);
}
