// Package stet runs Stet's test double in tests. It is a single file without dependencies, for Go 1.18 and later, that you can copy.
//
//	server := stet.StartT(t, stet.Options{Data: "testdata/stet"})
//	app := NewApp(server.BaseURL(), "stet-test-key")
//	_, err := server.AddFault(stet.Fault{Status: 500, Times: stet.Of(2)})
package stet

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

const defaultData = "src/test/stet"

var jars = []string{"stet.jar", "target/stet.jar", "/usr/share/stet/stet.jar"}

const (
	ready        = "STET_READY url="
	startTimeout = 30 * time.Second
	stopTimeout  = 30 * time.Second
	maxErrors    = 10_000 // bytes of output kept for the error message
)

// Options configures Start and StartT; all fields are optional.
type Options struct {
	// Data is the folder of one or more accounts, relative to the working directory (in a test, the package's folder). The default is
	// "src/test/stet".
	Data string
	// Jar is the path of stet.jar. By default, it is the path in STET_JAR, or stet.jar in the working directory, in target, or
	// in the installation folder of the Debian package.
	Jar string
	// Java is the path of java. By default, it is the path in JAVA, JAVA_HOME/bin/java, or java on the PATH.
	Java string
	// More holds additional options for "stet fixture".
	More []string
	// Timeout limits the start-up time; the default is 30 s.
	Timeout time.Duration
}

// Fixture is a running test double. It exits when Stop is called or when this process exits. It is safe for concurrent use.
type Fixture struct {
	// URL is the double's URL, http://127.0.0.1:PORT.
	URL string

	command *exec.Cmd
	stdin   io.Closer
	stderr  *tail
	ended   chan struct{}
	stop    sync.Once
}

// T is the part of *testing.T and *testing.B that StartT uses.
type T interface {
	Helper()
	Cleanup(func())
	Failed() bool
	Log(...any)
	Fatal(...any)
}

// StartT starts a double for a test or benchmark and stops it at its end, after its subtests. It accepts at most one Options value. If the
// double does not start, the test fails. If the test fails, its log shows the last requests and why they were not answered with 200.
func StartT(t T, options ...Options) *Fixture {
	t.Helper()
	if len(options) > 1 {
		t.Fatal("StartT accepts at most one Options value")
	}
	fixture, err := Start(append(options, Options{})[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			if happened, err := fixture.WhatHappened(); err == nil {
				t.Log("Requests to Stet's test double:\n" + happened.Text)
			}
		}
		fixture.Stop()
	})
	return fixture
}

// Start starts a double and waits until it is ready.
func Start(options Options) (*Fixture, error) {
	options.Data = firstOf(options.Data, defaultData)
	jar := firstOf(options.Jar, os.Getenv("STET_JAR"), existing(jars))
	if jar == "" {
		return nil, fmt.Errorf("stet.jar not found (%s); set it in Options or STET_JAR", strings.Join(jars, ", "))
	}
	readInputs(options.Data, jar)
	command := newCommand(options, jar)
	stderr := &tail{}
	command.Stderr = stderr
	stdin, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	err = command.Start()
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("the test double did not start: %s not found; install Java 17 or later, or set Java "+
			"in Options or JAVA", command.Args[0])
	}
	if err != nil {
		return nil, fmt.Errorf("the test double did not start: %w", err)
	}
	fixture := &Fixture{command: command, stdin: stdin, stderr: stderr, ended: make(chan struct{})}
	found := make(chan string, 1)
	output := &tail{} // a JVM that cannot start reports this on stdout
	go fixture.read(stdout, found, output)
	timeout := options.Timeout
	if timeout == 0 {
		timeout = startTimeout
	}
	problem := "it was not ready in " + timeout.String()
	select {
	case fixture.URL = <-found:
		stderr.echo()
		return fixture, nil
	case <-fixture.ended:
		problem = "it ended with " + command.ProcessState.String()
	case <-time.After(timeout):
	}
	_ = command.Process.Kill()
	<-fixture.ended
	return nil, fmt.Errorf("the test double did not start: %s\n%s%s", problem, output, stderr)
}

// newCommand returns the command that runs a double.
func newCommand(options Options, jar string) *exec.Cmd {
	home := os.Getenv("JAVA_HOME")
	if home != "" {
		home = filepath.Join(home, "bin", "java")
	}
	// With only the first JIT compiler and the serial collector, short-lived processes start faster.
	command := exec.Command(firstOf(options.Java, os.Getenv("JAVA"), home, "java"),
		append([]string{"-XX:TieredStopAtLevel=1", "-XX:CompileThresholdScaling=5", "-XX:+UseSerialGC", "-Xms64m", "-jar", jar, "fixture", options.Data,
			"--with-parent"}, options.More...)...)
	// Omit STET_* variables such as STET_LISTEN, which are meant for the real service.
	for _, each := range os.Environ() {
		if !strings.HasPrefix(each, "STET_") {
			command.Env = append(command.Env, each)
		}
	}
	// With this locale, Java can open files with any name.
	command.Env = append(command.Env, "LC_ALL=C.UTF-8")
	return command
}

// read sends the double's URL to found and other output to output, and closes ended when the process has exited.
func (f *Fixture) read(stdout io.Reader, found chan<- string, output io.Writer) {
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), ready) {
			found <- strings.TrimSpace(strings.TrimPrefix(lines.Text(), ready))
		} else {
			fmt.Fprintln(output, lines.Text())
		}
	}
	_ = f.command.Wait()
	close(f.ended) // ProcessState is set before this point
}

// readInputs opens the double's files. "go test" caches the results of tests, and repeats a test if a file in the module that it has
// opened changes. It does not see files that only the double opens.
func readInputs(data, jar string) {
	open := func(path string) {
		if file, err := os.Open(path); err == nil {
			_ = file.Close()
		}
	}
	open(jar)
	_ = filepath.WalkDir(data, func(path string, _ fs.DirEntry, _ error) error {
		open(path)
		return nil // the double reports missing or unreadable files
	})
}

// Of returns a pointer to a value, for optional fields such as Expectation.Times, in which 0 differs from no value.
func Of[T any](value T) *T {
	return &value
}

// BaseURL returns the base URL for the app under test, http://127.0.0.1:PORT/api/v1.
func (f *Fixture) BaseURL() string {
	return f.URL + "/api/v1"
}

// Stop stops the double and waits for it to exit. Further calls do nothing.
func (f *Fixture) Stop() {
	f.stop.Do(func() {
		f.stderr.hush()
		_ = f.stdin.Close()
		select {
		case <-f.ended:
		case <-time.After(stopTimeout):
			_ = f.command.Process.Kill()
		}
	})
	<-f.ended
}

// Control sends a request to the control at /_fixture + path (controls.md). A non-nil body is sent as JSON. The JSON response is
// decoded into a non-nil into. If the request fails, the error contains Stet's message.
func (f *Fixture) Control(method, path string, body, into any) error {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, f.URL+"/_fixture"+path, content)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= 300 {
		refused := struct{ Error string }{string(text)}
		_ = json.Unmarshal(text, &refused)
		return fmt.Errorf("%s /_fixture%s: %d %s", method, path, response.StatusCode, refused.Error)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(text, into)
}

// The types below correspond to the JSON of the controls (controls.md). Nil pointers and other zero values are omitted; pointers to zero
// are sent. Times are strings such as "2026-02-01T00:00:00Z"; durations are strings such as "P30D".

// Clock is the state of a clock.
type Clock struct {
	Now string `json:"now"`
	// Offset is the difference from the machine's clock. It is empty while the clock is stopped.
	Offset string `json:"offset"`
}

// ClockSetting stops a clock at Now, starts it at From, or keeps it ahead of the machine's clock by Offset. Set exactly one field.
type ClockSetting struct {
	Now    string `json:"now,omitempty"`
	From   string `json:"from,omitempty"`
	Offset string `json:"offset,omitempty"`
}

// Account is the current state of an account, with its key, block and image names and its template ids.
type Account struct {
	Email     string   `json:"email"`
	Plan      string   `json:"plan"`
	Used      int64    `json:"used"`
	CreatedAt string   `json:"createdAt"`
	Limits    Limits   `json:"limits"`
	Period    Period   `json:"period"`
	Keys      []string `json:"keys"`
	Templates []string `json:"templates"`
	Blocks    []string `json:"blocks"`
	Images    []string `json:"images"`
}

// Limits holds an account's limits. If a field is nil, the plan's limit applies.
type Limits struct {
	Requests *int `json:"requests"`
	Keys     *int `json:"keys"`
}

// Period is the quota period in which requests are counted.
type Period struct {
	Start string `json:"start"`
	End   string `json:"end"`
}

// NewAccount describes an account to add; every field is optional.
type NewAccount struct {
	Email         string              `json:"email,omitempty"`
	Key           string              `json:"key,omitempty"`
	Plan          string              `json:"plan,omitempty"`
	CreatedAt     string              `json:"createdAt,omitempty"`
	BillingAnchor string              `json:"billingAnchor,omitempty"`
	Used          int64               `json:"used,omitempty"`
	Limits        *Limits             `json:"limits,omitempty"`
	Templates     map[string]Template `json:"templates,omitempty"`
	Blocks        map[string]string   `json:"blocks,omitempty"`
	Images        map[string][]byte   `json:"images,omitempty"`
	Clock         *ClockSetting       `json:"clock,omitempty"`
}

// Key is an account's key. ExpiresAt is the expiry of a rotated key.
type Key struct {
	ID        int64  `json:"id"`
	Name      string `json:"name"`
	Start     string `json:"start"`
	CreatedAt string `json:"createdAt"`
	ExpiresAt string `json:"expiresAt"`
}

// NewKey is a key to add. If Key is empty, the double generates a value.
type NewKey struct {
	Name string `json:"name,omitempty"`
	Key  string `json:"key,omitempty"`
}

// Template is a template to write. It is also published unless Draft is set. Sets maps names to test data, each a JSON object.
type Template struct {
	Name           string         `json:"name,omitempty"`
	Subject        string         `json:"subject,omitempty"`
	HTML           string         `json:"html,omitempty"`
	Sets           map[string]any `json:"sets,omitempty"`
	DefaultSamples string         `json:"defaultSamples,omitempty"`
	Draft          bool           `json:"-"`
}

// MarshalJSON encodes t in the format that the control expects.
func (t Template) MarshalJSON() ([]byte, error) {
	type fields Template
	return json.Marshal(struct {
		fields
		Publish bool `json:"publish"`
	}{fields(t), !t.Draft})
}

// StoredTemplate is a template with its draft; Served is nil until it is published.
type StoredTemplate struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Published bool   `json:"published"`
	UpdatedAt string `json:"updatedAt"`
	Draft     struct {
		Subject        string            `json:"subject"`
		HTML           string            `json:"html"`
		Samples        map[string]string `json:"samples"`
		Sets           map[string]any    `json:"sets"`
		DefaultSamples string            `json:"defaultSamples"`
	} `json:"draft"`
	Served *struct {
		Subject   string   `json:"subject"`
		HTML      string   `json:"html"`
		Variables []string `json:"variables"`
	} `json:"served"`
}

// Image is an account's image. Path is the path of its file on the double, and Address its URL in published HTML.
type Image struct {
	Name    string `json:"name"`
	Path    string `json:"path"`
	Address string `json:"address"`
	Bytes   int64  `json:"bytes"`
	Width   int    `json:"width"`
	Height  int    `json:"height"`
}

// Fault is an injected failure for the requests that match Bearer, Account and Template.
type Fault struct {
	Bearer   string `json:"bearer,omitempty"`
	Account  string `json:"account,omitempty"`
	Template string `json:"template,omitempty"`
	// After is the number of matching requests to skip first. Times is the number of requests to fail, at least 1; if it is nil, the
	// fault applies until it is deleted.
	After int64 `json:"after,omitempty"`
	Times *int  `json:"times,omitempty"`
	// Status is 400 to 599. The next five fields require Status.
	Status     int               `json:"status,omitempty"`
	Error      string            `json:"error,omitempty"`
	RetryAfter *int              `json:"retryAfter,omitempty"`
	Headers    map[string]string `json:"headers,omitempty"`
	Type       string            `json:"type,omitempty"`
	Body       *string           `json:"body,omitempty"`

	DelayMs        int64 `json:"delayMs,omitempty"`
	MaxDelayMs     int64 `json:"maxDelayMs,omitempty"`
	Seed           int64 `json:"seed,omitempty"`
	BytesPerSecond int64 `json:"bytesPerSecond,omitempty"`
	Truncate       bool  `json:"truncate,omitempty"`
	Drop           bool  `json:"drop,omitempty"`
	Never          bool  `json:"never,omitempty"`
}

// ListedFault is an active fault. Times is the number of requests that it will still fail, or nil.
type ListedFault struct {
	ID   int64  `json:"id"`
	Kind string `json:"kind"`
	Fault
}

// Filter selects requests.
type Filter struct {
	Bearer   string `json:"bearer,omitempty"`
	KeyName  string `json:"keyName,omitempty"`
	Account  string `json:"account,omitempty"`
	Template string `json:"template,omitempty"`
	Status   int    `json:"status,omitempty"`
	Method   string `json:"method,omitempty"`
	Path     string `json:"path,omitempty"`
}

// Query selects the requests to list: the last Limit requests whose number is greater than Since. If Wait is set, Requests waits
// for this many matches, and returns an error after TimeoutMs (by default 5000).
type Query struct {
	Filter
	Since     int64 `json:"since,omitempty"`
	Limit     int64 `json:"limit,omitempty"`
	Wait      int64 `json:"wait,omitempty"`
	TimeoutMs int64 `json:"timeoutMs,omitempty"`
}

// Happened holds the latest events. Omitted is the number of older requests in the journal. Text is a table of the events.
type Happened struct {
	Events  []Event `json:"events"`
	Omitted int64   `json:"omitted"`
	Dropped int64   `json:"dropped"`
	Text    string  `json:"text"`
}

// Event is a request, or an expectation that was not met, which has only Asked and Reason. Reason is empty for a 200.
type Event struct {
	Kind    string            `json:"kind"`
	Number  int64             `json:"number"`
	Time    string            `json:"time"`
	Asked   string            `json:"asked"`
	Key     string            `json:"key"`
	Status  int               `json:"status"`
	Reason  string            `json:"reason"`
	Headers map[string]string `json:"headers"`
}

// Expectation is the expected number of requests. The default is at least one.
type Expectation struct {
	Filter
	Times    *int  `json:"times,omitempty"`
	AtLeast  *int  `json:"atLeast,omitempty"`
	AtMost   *int  `json:"atMost,omitempty"`
	Never    bool  `json:"never,omitempty"`
	WithinMs int64 `json:"withinMs,omitempty"`
	// Data is what the app fills in; verification fails if it lacks a variable of Template.
	Data map[string]any `json:"data,omitempty"`
}

// Request is a recorded request. Hint explains its response.
type Request struct {
	Number   int64  `json:"number"`
	Time     string `json:"time"`
	Method   string `json:"method"`
	Path     string `json:"path"`
	Template string `json:"template"`
	Account  string `json:"account"`
	KeyName  string `json:"keyName"`
	Bearer   string `json:"bearer"`
	Status   int    `json:"status"`
	Counted  bool   `json:"counted"`
	Fault    *struct {
		ID   int64  `json:"id"`
		Kind string `json:"kind"`
	} `json:"fault"`
	Received struct {
		Response string `json:"response"`
		Bytes    int64  `json:"bytes"`
		Of       int64  `json:"of"`
		DelayMs  int64  `json:"delayMs"`
	} `json:"received"`
	Hint    string            `json:"hint"`
	Headers map[string]string `json:"headers"`
}

// Reset restores the initial data, clocks, faults and journal.
func (f *Fixture) Reset() error {
	return f.Control("POST", "/reset", nil, nil)
}

// ResetAccount restores the initial data, clock, faults and journal of one account.
func (f *Fixture) ResetAccount(email string) error {
	return f.Control("POST", account(email)+"/reset", nil, nil)
}

// Clock returns an account's clock, or the shared clock if email is "". The other clock methods select a clock in the same way.
func (f *Fixture) Clock(email string) (clock Clock, err error) {
	err = f.Control("GET", "/clock"+query(map[string]string{"account": email}), nil, &clock)
	return clock, err
}

// SetClock stops or starts a clock.
func (f *Fixture) SetClock(email string, setting ClockSetting) (clock Clock, err error) {
	err = f.Control("PUT", "/clock", struct {
		ClockSetting
		Account string `json:"account,omitempty"`
	}{setting, email}, &clock)
	return clock, err
}

// Advance moves a clock forward by a duration such as "P30D".
func (f *Fixture) Advance(email, by string) (clock Clock, err error) {
	body := map[string]string{"by": by}
	if email != "" {
		body["account"] = email
	}
	err = f.Control("POST", "/clock/advance", body, &clock)
	return clock, err
}

// AdvanceToPeriodEnd moves an account's clock to the start of its next period.
func (f *Fixture) AdvanceToPeriodEnd(email string) (clock Clock, err error) {
	err = f.Control("POST", "/clock/advance", map[string]string{"to": "periodEnd", "account": email}, &clock)
	return clock, err
}

// RestartClock resets the shared clock to its initial state, or makes an account use the shared clock again.
func (f *Fixture) RestartClock(email string) error {
	return f.Control("DELETE", "/clock"+query(map[string]string{"account": email}), nil, nil)
}

// Accounts lists the accounts.
func (f *Fixture) Accounts() ([]Account, error) {
	list := struct{ Accounts []Account }{}
	err := f.Control("GET", "/accounts", nil, &list)
	return list.Accounts, err
}

// Account returns an account.
func (f *Fixture) Account(email string) (found Account, err error) {
	err = f.Control("GET", account(email), nil, &found)
	return found, err
}

// AddAccount adds an account and returns its email address and a key.
func (f *Fixture) AddAccount(fields NewAccount) (email, key string, err error) {
	added := struct{ Email, Key string }{}
	err = f.Control("POST", "/accounts", fields, &added)
	return added.Email, added.Key, err
}

// SetPlan changes an account's plan to free, pro or none.
func (f *Fixture) SetPlan(email, plan string) error {
	return f.Control("PATCH", account(email), map[string]string{"plan": plan}, nil)
}

// SetUsed sets the number of requests that an account has used in its current period.
func (f *Fixture) SetUsed(email string, requests int64) error {
	return f.Control("PATCH", account(email), map[string]int64{"used": requests}, nil)
}

// SetLimits sets an account's limits, overriding the plan's.
func (f *Fixture) SetLimits(email string, limits Limits) error {
	return f.Control("PATCH", account(email), map[string]Limits{"limits": limits}, nil)
}

// DeleteAccount deletes an account and everything in it.
func (f *Fixture) DeleteAccount(email string) error {
	return f.Control("DELETE", account(email), nil, nil)
}

// Keys lists an account's keys.
func (f *Fixture) Keys(email string) ([]Key, error) {
	list := struct{ Keys []Key }{}
	err := f.Control("GET", account(email)+"/keys", nil, &list)
	return list.Keys, err
}

// AddKey adds a key and returns it with its value.
func (f *Fixture) AddKey(email string, key NewKey) (added NewKey, err error) {
	err = f.Control("POST", account(email)+"/keys", key, &added)
	return added, err
}

// RotateKey replaces the key called name. The old key expires after the duration expiresIn, or immediately if expiresIn is "".
func (f *Fixture) RotateKey(email, name, expiresIn string) (added NewKey, err error) {
	body := map[string]string{}
	if expiresIn != "" {
		body["expiresIn"] = expiresIn
	}
	err = f.Control("POST", account(email)+"/keys/"+url.PathEscape(name)+"/rotate", body, &added)
	return added, err
}

// DeleteKey deletes the key called name.
func (f *Fixture) DeleteKey(email, name string) error {
	return f.Control("DELETE", account(email)+"/keys/"+url.PathEscape(name), nil, nil)
}

// Template returns a template.
func (f *Fixture) Template(email, id string) (found StoredTemplate, err error) {
	err = f.Control("GET", template(email, id), nil, &found)
	return found, err
}

// PutTemplate writes a template and publishes it unless Draft is set. Empty fields keep their current values; to empty one, use Control.
func (f *Fixture) PutTemplate(email, id string, fields Template) error {
	return f.Control("PUT", template(email, id), fields, nil)
}

// DeleteTemplate deletes a template.
func (f *Fixture) DeleteTemplate(email, id string) error {
	return f.Control("DELETE", template(email, id), nil, nil)
}

// Block returns the HTML of a shared block.
func (f *Fixture) Block(email, name string) (html string, err error) {
	found := struct{ HTML string }{}
	err = f.Control("GET", block(email, name), nil, &found)
	return found.HTML, err
}

// PutBlock writes a shared block.
func (f *Fixture) PutBlock(email, name, html string) error {
	return f.Control("PUT", block(email, name), map[string]string{"html": html}, nil)
}

// DeleteBlock deletes a shared block.
func (f *Fixture) DeleteBlock(email, name string) error {
	return f.Control("DELETE", block(email, name), nil, nil)
}

// Image returns an image.
func (f *Fixture) Image(email, name string) (found Image, err error) {
	err = f.Control("GET", image(email, name), nil, &found)
	return found, err
}

// PutImage adds an image or replaces its file, a PNG, JPEG or GIF.
func (f *Fixture) PutImage(email, name string, file []byte) (written Image, err error) {
	err = f.Control("PUT", image(email, name), map[string][]byte{"file": file}, &written)
	return written, err
}

// DeleteImage deletes an image.
func (f *Fixture) DeleteImage(email, name string) error {
	return f.Control("DELETE", image(email, name), nil, nil)
}

// AddFault adds a fault and returns its id.
func (f *Fixture) AddFault(fault Fault) (id int64, err error) {
	added := struct{ ID int64 }{}
	err = f.Control("POST", "/faults", fault, &added)
	return added.ID, err
}

// Faults lists the active faults.
func (f *Fixture) Faults() ([]ListedFault, error) {
	list := struct{ Faults []ListedFault }{}
	err := f.Control("GET", "/faults", nil, &list)
	return list.Faults, err
}

// DeleteFault deletes a fault.
func (f *Fixture) DeleteFault(id int64) error {
	return f.Control("DELETE", fmt.Sprint("/faults/", id), nil, nil)
}

// ClearFaults deletes all faults.
func (f *Fixture) ClearFaults() error {
	return f.Control("DELETE", "/faults", nil, nil)
}

// ClearFaultsOf deletes an account's faults.
func (f *Fixture) ClearFaultsOf(email string) error {
	return f.Control("DELETE", "/faults?account="+url.QueryEscape(email), nil, nil)
}

// Requests lists recorded requests.
func (f *Fixture) Requests(which Query) ([]Request, error) {
	list := struct{ Requests []Request }{}
	err := f.Control("GET", "/requests"+query(which), nil, &list)
	return list.Requests, err
}

// WhatHappened returns the last 50 requests and the unmet expectations, with reasons.
func (f *Fixture) WhatHappened() (happened Happened, err error) {
	err = f.Control("GET", "/what-happened", nil, &happened)
	return happened, err
}

// ClearRequests removes the matching requests from the journal.
func (f *Fixture) ClearRequests(which Filter) error {
	return f.Control("DELETE", "/requests"+query(which), nil, nil)
}

// Verify returns an error if the received requests do not meet the expectation. The error lists these requests.
func (f *Fixture) Verify(expectation Expectation) error {
	return f.Control("POST", "/verify", expectation, nil)
}

// VerifyStrict returns an error if the double was started with "--strict" and received a request outside the API.
func (f *Fixture) VerifyStrict() error {
	return f.Control("POST", "/verify", nil, nil)
}

func account(email string) string {
	return "/accounts/" + url.PathEscape(email)
}

func template(email, id string) string {
	return account(email) + "/templates/" + url.PathEscape(id)
}

func block(email, name string) string {
	return account(email) + "/blocks/" + url.PathEscape(name)
}

func image(email, name string) string {
	return account(email) + "/images/" + url.PathEscape(name)
}

// query encodes the non-empty fields of a struct or map.
func query(parameters any) string {
	text, err := json.Marshal(parameters)
	if err != nil {
		panic(err) // cannot happen: strings and numbers can always be encoded
	}
	fields := map[string]any{}
	_ = json.Unmarshal(text, &fields)
	values := url.Values{}
	for name, value := range fields {
		if number, ok := value.(float64); ok {
			values.Set(name, strconv.FormatInt(int64(number), 10))
		} else if value != "" {
			values.Set(name, fmt.Sprint(value))
		}
	}
	if len(values) == 0 {
		return ""
	}
	return "?" + values.Encode()
}

// tail keeps the end of the text written to it. After echo is called, it also forwards all text.
type tail struct {
	mutex  sync.Mutex
	text   []byte
	echoes bool
}

func (t *tail) echo() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	_, _ = os.Stderr.Write(t.text)
	t.echoes = true
}

// hush stops forwarding to hide the double's exit message.
func (t *tail) hush() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.echoes = false
}

func (t *tail) Write(text []byte) (int, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.echoes {
		_, _ = os.Stderr.Write(text)
	}
	t.text = append(t.text, text...)
	if len(t.text) > maxErrors {
		t.text = append([]byte(nil), t.text[len(t.text)-maxErrors:]...)
	}
	return len(text), nil
}

func (t *tail) String() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return string(t.text)
}

func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

func existing(files []string) string {
	for _, file := range files {
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	return ""
}
