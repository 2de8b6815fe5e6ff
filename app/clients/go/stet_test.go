package stet

import (
	"fmt"
	"io"
	"net/http"
	"os"
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

	clock, err := double.SetClock("", ClockSetting{Now: "2026-02-01T00:00:00Z"})
	expectOf(t, "2026-02-01T00:00:00.000Z", clock.Now, err)
	clock, err = double.Advance("", "P1D")
	expectOf(t, "2026-02-02T00:00:00.000Z", clock.Now, err)
	clock, err = double.Advance(email, "P1D")
	expectOf(t, "2026-02-03T00:00:00.000Z", clock.Now, err)
	clock, err = double.AdvanceToPeriodEnd(email)
	expectOf(t, "2026-03-02T09:00:00.000Z", clock.Now, err)
	clock, err = double.Clock("")
	expectOf(t, "2026-02-02T00:00:00.000Z", clock.Now, err)
	done(t, double.RestartClock(email))
	clock, err = double.Clock(email)
	expectOf(t, "2026-02-02T00:00:00.000Z", clock.Now, err)
	clock, err = double.SetClock(email, ClockSetting{Offset: "P30D"})
	expectOf(t, "PT720H", clock.Offset, err)

	added, key, err := double.AddAccount(NewAccount{Plan: "pro", Templates: map[string]Template{"one": {HTML: "<p>0</p>"}}})
	done(t, err)
	done(t, double.PutBlock(added, "footer", "1"))
	done(t, double.PutTemplate(added, "one", Template{HTML: "<p>{{> footer}}</p>"}))
	expect(t, "200 <p>1</p>", get("one", key))
	done(t, double.PutTemplate(added, "one", Template{HTML: "<p>2</p>", Draft: true}))
	expect(t, "200 <p>1</p>", get("one", key))
	one, err := double.Template(added, "one")
	expectOf(t, "<p>2</p> <p>1</p>", one.Draft.HTML+" "+one.Served.HTML, err)
	html, err := double.Block(added, "footer")
	expectOf(t, "1", html, err)
	dot := []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x01L\x00;")
	written, err := double.PutImage(added, "dot.gif", dot)
	expectOf(t, fmt.Sprint("dot.gif ", len(dot), " 1"), fmt.Sprint(written.Name, " ", written.Bytes, " ", written.Width), err)
	image, err := double.Image(added, "dot.gif")
	expectOf(t, written, image, err)
	done(t, double.DeleteImage(added, "dot.gif"))
	_, err = double.Image(added, "dot.gif")
	failsWith(t, err, "404")
	done(t, double.DeleteBlock(added, "footer"))
	done(t, double.DeleteTemplate(added, "one"))
	expect(t, `404 {"error":"Not found"}`, get("one", key))
	done(t, double.ResetAccount(added))
	expect(t, "200 <p>0</p>", get("one", key))

	second, err := double.AddKey(added, NewKey{Name: "second", Key: "a-second-key"})
	expectOf(t, "200", get("one", second.Key)[:3], err)
	third, err := double.RotateKey(added, "second", "P1D")
	expectOf(t, "200 200", get("one", second.Key)[:3]+" "+get("one", third.Key)[:3], err)
	keys, err := double.Keys(added)
	expectOf(t, "3 true", fmt.Sprint(len(keys), " ", keys[1].ExpiresAt != ""), err)
	done(t, double.DeleteKey(added, "second"))
	expect(t, "401", get("one", third.Key)[:3])
	done(t, double.SetPlan(added, "none"))
	expect(t, "403", get("one", key)[:3])
	done(t, double.DeleteAccount(added))
	accounts, err := double.Accounts()
	expectOf(t, 1, len(accounts), err)

	done(t, double.SetUsed(email, 7))
	done(t, double.SetLimits(email, Limits{Requests: Of(8)}))
	shop, err := double.Account(email)
	expectOf(t, "7 8", fmt.Sprint(shop.Used, " ", *shop.Limits.Requests), err)

	id, err := double.AddFault(Fault{Status: 502, Type: "text/html", Body: Of("<h1>Bad gateway</h1>"), Times: Of(1)})
	expectOf(t, int64(1), id, err)
	_, err = double.AddFault(Fault{Status: 500, Account: email})
	done(t, err)
	faults, err := double.Faults()
	expectOf(t, "2 status 502 500", fmt.Sprint(len(faults), " ", faults[0].Kind, " ", faults[0].Status, " ", faults[1].Status), err)
	expect(t, "502 <h1>Bad gateway</h1>", get("shipped", "stet-test-key"))
	done(t, double.DeleteFault(faults[1].ID))
	_, err = double.AddFault(Fault{Drop: true, Account: email})
	done(t, err)
	done(t, double.ClearFaultsOf(email))
	done(t, double.ClearFaults())
	expect(t, "200", get("shipped", "stet-test-key")[:3])
	requests, err := double.Requests(Query{Filter: Filter{Template: "shipped"}, Wait: 2})
	expectOf(t, "2 502 200", fmt.Sprint(len(requests), " ", requests[0].Status, " ", requests[1].Status), err)
	done(t, double.Verify(Expectation{Filter: Filter{Template: "shipped"}, Times: Of(2)}))
	failsWith(t, double.Verify(Expectation{Filter: Filter{Template: "shipped"}, Times: Of(0)}), "Expected no requests")
	failsWith(t, double.Verify(Expectation{Filter: Filter{Template: "shipped"}, AtMost: Of(0)}), "Expected no requests")
	done(t, double.Verify(Expectation{Filter: Filter{Template: "unknown"}, AtLeast: Of(0)}))
	_, err = double.AddFault(Fault{Status: 503, Body: Of(""), RetryAfter: Of(0), Times: Of(1)})
	done(t, err)
	expect(t, "503 ", get("shipped", "stet-test-key"))
	_, err = double.AddFault(Fault{Status: 503, Times: Of(0)})
	failsWith(t, err, `"times"`)
	_, err = double.AddFault(Fault{Status: 500, Account: email})
	done(t, err)
	failsWith(t, double.ClearFaultsOf(""), "404 Account")
	faults, err = double.Faults()
	expectOf(t, 1, len(faults), err)
	done(t, double.ClearFaults())
	failsWith(t, double.Verify(Expectation{Filter: Filter{Template: "shipped"}, Never: true}), "shipped")
	done(t, double.ClearRequests(Filter{Account: email}))
	done(t, double.Verify(Expectation{Filter: Filter{Template: "shipped"}, Never: true}))
	done(t, double.VerifyStrict())

	_, err = double.AddFault(Fault{Status: 200})
	failsWith(t, err, `POST /_fixture/faults: 400 `, `"status"`)
	done(t, double.Reset())
	shop, err = double.Account(email)
	expectOf(t, int64(0), shop.Used, err)
	double.Stop()
	double.Stop()
	if double.Reset() == nil {
		t.Fatal("still running")
	}
}

func TestStartTStopsTheDouble(t *testing.T) {
	var double *Fixture
	t.Run("one", func(t *testing.T) {
		double = StartT(t, Options{Data: data})
		t.Run("nested", func(t *testing.T) {
			done(t, double.Reset())
		})
	})
	if double.Reset() == nil {
		t.Fatal("still running")
	}
	failed := &recorder{}
	func() {
		defer func() { _ = recover() }()
		StartT(failed)
	}()
	if !strings.Contains(failed.fatal, "src/test/stet not found") {
		t.Fatal(failed.fatal)
	}
}

func TestALogSaysWhatHappened(t *testing.T) {
	failed := &recorder{}
	double := StartT(failed, Options{Data: data})
	failsWith(t, double.Verify(Expectation{Filter: Filter{Template: "shiped"}}), "shiped")
	happened, err := double.WhatHappened()
	expectOf(t, "1 expectation", fmt.Sprint(len(happened.Events), " ", happened.Events[0].Kind), err)
	failed.cleanup()
	expect(t, "Requests to Stet's test double:\n"+happened.Text, failed.log)
}

// recorder keeps the messages of a test that fails.
type recorder struct {
	fatal, log string
	cleanup    func()
}

func (r *recorder) Helper()                {}
func (r *recorder) Cleanup(cleanup func()) { r.cleanup = cleanup }
func (r *recorder) Failed() bool           { return true }
func (r *recorder) Log(message ...any)     { r.log = fmt.Sprint(message...) }
func (r *recorder) Fatal(message ...any) {
	r.fatal = fmt.Sprint(message...)
	panic(r)
}

func TestAnEmptySettingIsAMissingOne(t *testing.T) {
	jar := firstOf(os.Getenv("STET_JAR"), existing(jars))
	for _, each := range []Options{{}, {Data: "", Jar: "", Java: ""}, {Jar: jar}} {
		_, err := Start(each)
		failsWith(t, err, "/src/test/stet not found")
	}
	t.Setenv("JAVA", "")
	t.Setenv("STET_JAR", "")
	_, err := Start(Options{Jar: jar})
	failsWith(t, err, "/src/test/stet not found")
}

func TestStartsThatFail(t *testing.T) {
	_, err := Start(Options{Data: "no-such-folder"})
	failsWith(t, err, "the test double did not start: it ended with exit status 1\n", "no-such-folder")
	t.Setenv("JAVA_TOOL_OPTIONS", "-Xmx8m")
	_, err = Start(Options{Data: data})
	failsWith(t, err, "heap size")
	_, err = Start(Options{Data: data, Java: "no-such-java"})
	failsWith(t, err, "the test double did not start: no-such-java not found; install Java")
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

func expectOf(t *testing.T, expected, is any, err error) {
	t.Helper()
	done(t, err)
	expect(t, expected, is)
}

func expect(t *testing.T, expected, is any) {
	t.Helper()
	if is != expected {
		t.Fatalf("expected: %v, but was: %v", expected, is)
	}
}
