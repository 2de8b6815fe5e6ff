package stet

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

const (
	data  = "../../examples/stet"
	email = "shop@example.com"
)

func TestControls(t *testing.T) {
	double, err := Start(Options{Data: data})
	done(t, err)
	defer double.Stop()
	get := func(id, key string) string {
		request, err := http.NewRequest("GET", double.BaseURL()+"/templates/"+id+"?format=html", nil)
		done(t, err)
		request.Header.Set("Authorization", "Bearer "+key)
		response, err := http.DefaultClient.Do(request)
		done(t, err)
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		done(t, err)
		return fmt.Sprint(response.StatusCode, " ", string(text))
	}

	done(t, double.SetClock(Fields{"now": "2026-02-01T00:00:00Z"}))
	done(t, double.Advance("P1D"))
	clock := Fields{}
	done(t, double.Control("GET", "/clock", nil, &clock))
	expect(t, "2026-02-02T00:00:00.000Z", clock["now"])

	added, key, err := double.AddAccount(Fields{"plan": "pro"})
	done(t, err)
	done(t, double.PutTemplate(added, "one", Fields{"html": "<p>1</p>"}))
	expect(t, "200 <p>1</p>", get("one", key))
	done(t, double.DeleteTemplate(added, "one"))
	expect(t, `404 {"error":"Not found"}`, get("one", key))
	done(t, double.ChangeAccount(email, Fields{"used": 7}))
	account, err := double.Account(email)
	done(t, err)
	expect(t, 7.0, account["used"])

	done(t, double.AddFault(Fields{"status": 503, "times": 1}))
	done(t, double.AddFault(Fields{"status": 500}))
	expect(t, "503", get("shipped", "stet-test-key")[:3])
	done(t, double.ClearFaults())
	expect(t, "200", get("shipped", "stet-test-key")[:3])
	requests, err := double.Requests(Fields{"template": "shipped", "wait": 2})
	done(t, err)
	expect(t, 2, len(requests))
	done(t, double.Verify(Fields{"template": "shipped", "times": 2}))
	failsWith(t, double.Verify(Fields{"template": "shipped", "never": true}), "shipped")

	failsWith(t, double.AddFault(Fields{"status": 500, "statsu": 1}), `POST /_fixture/faults: 400 `, `"statsu"`)
	done(t, double.Reset())
	account, err = double.Account(email)
	done(t, err)
	expect(t, 0.0, account["used"])
	double.Stop()
	double.Stop()
	if double.Reset() == nil {
		t.Fatal("it goes on")
	}
}

func TestStartsThatFail(t *testing.T) {
	_, err := Start(Options{Data: "no-such-folder"})
	failsWith(t, err, "the test double did not start: it ended with exit status 1\n", "no-such-folder")
	_, err = Start(Options{Data: data, Java: "no-such-java"})
	failsWith(t, err, "the test double did not start: there is no no-such-java: install Java")
}

func failsWith(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Fatal(err)
		}
	}
}

func done(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func expect(t *testing.T, expected, is any) {
	t.Helper()
	if is != expected {
		t.Fatalf("expected: %v, but was: %v", expected, is)
	}
}
