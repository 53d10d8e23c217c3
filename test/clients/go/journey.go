// Signs up, verifies, logs in, reads details, refreshes and logs out with the generated client for Go.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"regexp"

	portico "example.com/portico/client"
)

const password = "Correct-Horse-Battery-7"

var (
	address = os.Getenv("PORTICO_URL")
	email   = os.Getenv("PORTICO_EMAIL")
)

func check(is bool, what string) {
	if !is {
		log.Fatal(what)
	}
}

func must[T any](value T, _ *http.Response, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func signedIn(accessToken, sessionId string) context.Context {
	ctx := context.WithValue(context.Background(), portico.ContextAccessToken, accessToken)
	keys := map[string]portico.APIKey{"sessionId": {Key: sessionId}}
	return context.WithValue(ctx, portico.ContextAPIKeys, keys)
}

func codeOf(err error) portico.ErrorCode {
	var refused *portico.GenericOpenAPIError
	check(errors.As(err, &refused), fmt.Sprint("the call was not refused: ", err))
	failure, isFailure := refused.Model().(portico.Failure)
	check(isFailure, "the error has no body")
	return portico.ErrorCode(failure.Code)
}

func mailedCode() string {
	request, err := http.NewRequest("GET", address+"/dev/mailbox?to="+url.QueryEscape(email), nil)
	check(err == nil, "no request")
	request.Header.Set("Accept", "application/json")
	response, err := http.DefaultClient.Do(request)
	check(err == nil, "no mailbox")
	defer response.Body.Close()
	var mailbox struct{ Mails []struct{ Text string } }
	check(json.NewDecoder(response.Body).Decode(&mailbox) == nil && len(mailbox.Mails) > 0, "no mail")
	return regexp.MustCompile(`(?m)^ {4}(\d{6})$`).FindStringSubmatch(mailbox.Mails[0].Text)[1]
}

func main() {
	configuration := portico.NewConfiguration()
	configuration.Servers = portico.ServerConfigurations{{URL: address}}
	client := portico.NewAPIClient(configuration)
	accounts, sessions, ctx := client.AccountAPI, client.SessionsAPI, context.Background()

	registration := portico.CreateAccountRequest{
		FirstName: "Ada", LastName: "Lovelace", Email: email, Password: password, ConfirmPassword: password,
	}
	created := must(accounts.CreateAccount(ctx).CreateAccountRequest(registration).Execute())
	check(created.Success && created.Data.Email == email, "not created")

	credentials := portico.LogInRequest{Email: email, Password: password}
	_, _, err := accounts.LogIn(ctx).LogInRequest(credentials).Execute()
	check(codeOf(err) == portico.EMAIL_NOT_VERIFIED, "logged in before the verification")

	verification := portico.VerifyEmailRequest{Email: email, VerificationCode: mailedCode()}
	verified := must(accounts.VerifyEmail(ctx).VerifyEmailRequest(verification).Execute())
	check(verified.Data.User.Email == email, "not verified")

	data := must(accounts.LogIn(ctx).LogInRequest(credentials).Execute()).Data
	sessionId := data.Session.SessionId

	user := must(accounts.ReadProfile(signedIn(data.AccessToken, sessionId)).Execute()).Data.User
	check(user.Email == email && user.Dob.Get() == nil, "another profile")
	check(user.AuthMethod == portico.EMAIL, "another method")

	refresh := portico.RefreshTokenRequest{RefreshToken: data.RefreshToken}
	pair := must(sessions.RefreshToken(ctx).XSessionId(sessionId).RefreshTokenRequest(refresh).Execute()).Data
	ctx = signedIn(pair.AccessToken, sessionId)
	listed := must(sessions.ListSessions(ctx).Execute()).Data.Sessions
	check(len(listed) == 2 && listed[0].Location.Get() == nil, "other sessions")

	check(must(sessions.LogOut(ctx).Execute()).Success, "not logged out")
	_, _, err = accounts.ReadProfile(ctx).Execute()
	check(codeOf(err) == portico.AUTHENTICATION_REQUIRED, "still signed in")
}
