// Package stet runs the test double of Stet for tests in Go 1.18 and later: one file without dependencies, to be copied.
//
//	double, err := stet.Start(stet.Options{Data: "testdata/stet"})
//	if err != nil {
//		t.Fatal(err)
//	}
//	defer double.Stop()
//	app := NewApp(double.BaseURL(), "stet-test-key")
//	err = double.AddFault(stet.Fields{"status": 500, "times": 2})
package stet

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

var jars = []string{"stet.jar", "target/stet.jar", "/usr/share/stet/stet.jar"}

const (
	ready       = "STET_READY url="
	stopTimeout = 30 * time.Second
	maxErrors   = 10_000 // bytes of standard error that are kept for the message
)

// Fields are those of a control's JSON (test-double.md).
type Fields map[string]any

// Options of a start. Only Data is required.
type Options struct {
	// Data is an account's folder, or a folder of several, from the working directory, which is the package's in a test.
	Data string
	// Jar is stet.jar; otherwise it is STET_JAR, or stet.jar in the working directory, in its target folder, or where the Debian
	// package has it.
	Jar string
	// Java is the program; otherwise it is JAVA, or that of JAVA_HOME, or that of the PATH.
	Java string
	// More are more options of "stet fixture".
	More []string
	// Timeout until it must be ready; 30 s unless given.
	Timeout time.Duration
}

// Fixture is a test double, as a process that ends with this one. Several goroutines may use it.
type Fixture struct {
	// URL is the address of the double, http://127.0.0.1:PORT.
	URL string

	command *exec.Cmd
	stdin   io.Closer
	stderr  *tail
	ended   chan struct{}
	stop    sync.Once
}

// Start starts a double, and waits until it answers.
func Start(options Options) (*Fixture, error) {
	jar := firstOf(options.Jar, os.Getenv("STET_JAR"), existing(jars))
	if jar == "" {
		return nil, fmt.Errorf("there is no stet.jar: name it in Options or in STET_JAR (not found: %s)", strings.Join(jars, ", "))
	}
	home := os.Getenv("JAVA_HOME")
	if home != "" {
		home = filepath.Join(home, "bin", "java")
	}
	// A test double is short: its first compiler is enough, and the smallest collector.
	command := exec.Command(firstOf(options.Java, os.Getenv("JAVA"), home, "java"),
		append([]string{"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xms64m", "-jar", jar, "fixture", options.Data,
			"--with-parent"}, options.More...)...)
	// Without the environment's own options for commands of Stet, such as STET_LISTEN: they are the service's.
	for _, each := range os.Environ() {
		if !strings.HasPrefix(each, "STET_") {
			command.Env = append(command.Env, each)
		}
	}
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
		return nil, fmt.Errorf("the test double did not start: there is no %s: install Java 17 or later, or name its program as Java "+
			"in Options or in JAVA", command.Args[0])
	}
	if err != nil {
		return nil, fmt.Errorf("the test double did not start: %w", err)
	}
	fixture := &Fixture{command: command, stdin: stdin, stderr: stderr, ended: make(chan struct{})}
	found := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(stdout)
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), ready) {
				found <- strings.TrimSpace(strings.TrimPrefix(lines.Text(), ready))
			}
		}
		_ = command.Wait()
		close(fixture.ended) // from here on there is a ProcessState
	}()
	timeout := options.Timeout
	if timeout == 0 {
		timeout = 30 * time.Second
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
	return nil, fmt.Errorf("the test double did not start: %s\n%s", problem, stderr)
}

// BaseURL is the base address for the app under test, http://127.0.0.1:PORT/api/v1.
func (f *Fixture) BaseURL() string {
	return f.URL + "/api/v1"
}

// Stop ends the double and waits for it. Stopping it again does nothing.
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

// Control sends a control, /_fixture + path (test-double.md), with the body as JSON unless it is nil, and reads the answer's JSON
// into a value unless that is nil. The error of a control that is refused has Stet's sentence.
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

// Reset has data, clocks, faults and journal as at the start.
func (f *Fixture) Reset() error {
	return f.Control("POST", "/reset", nil, nil)
}

// SetClock stops the clock, {"now": "2026-02-01T00:00:00Z"}, or lets it run ahead, {"offset": "P30D"}; with an "account", that
// account's.
func (f *Fixture) SetClock(clock Fields) error {
	return f.Control("PUT", "/clock", clock, nil)
}

// Advance moves the common clock on, by a span such as "P30D".
func (f *Fixture) Advance(by string) error {
	return f.Control("POST", "/clock/advance", Fields{"by": by}, nil)
}

// Account shows an account.
func (f *Fixture) Account(email string) (account Fields, err error) {
	err = f.Control("GET", "/accounts/"+url.PathEscape(email), nil, &account)
	return account, err
}

// AddAccount adds an account, all of whose fields are optional, and returns its email address and a key.
func (f *Fixture) AddAccount(fields Fields) (email, key string, err error) {
	added := struct{ Email, Key string }{}
	err = f.Control("POST", "/accounts", fields, &added)
	return added.Email, added.Key, err
}

// ChangeAccount changes plan, use or limits of an account.
func (f *Fixture) ChangeAccount(email string, fields Fields) error {
	return f.Control("PATCH", "/accounts/"+url.PathEscape(email), fields, nil)
}

// PutTemplate writes and publishes a template: name, subject, html; "publish": false leaves what is served.
func (f *Fixture) PutTemplate(email, id string, fields Fields) error {
	return f.Control("PUT", "/accounts/"+url.PathEscape(email)+"/templates/"+url.PathEscape(id), fields, nil)
}

// DeleteTemplate deletes a template.
func (f *Fixture) DeleteTemplate(email, id string) error {
	return f.Control("DELETE", "/accounts/"+url.PathEscape(email)+"/templates/"+url.PathEscape(id), nil, nil)
}

// AddFault adds a fault, such as {"status": 500, "times": 2} or {"drop": true}.
func (f *Fixture) AddFault(fault Fields) error {
	return f.Control("POST", "/faults", fault, nil)
}

// ClearFaults deletes all faults.
func (f *Fixture) ClearFaults() error {
	return f.Control("DELETE", "/faults", nil, nil)
}

// Requests are those that came and pass the filters, such as {"template": "welcome"}; with "wait", once so many do.
// An error where fewer have come when "timeoutMs" (5000 unless given) are up.
func (f *Fixture) Requests(filters Fields) ([]Fields, error) {
	query := url.Values{}
	for name, value := range filters {
		query.Set(name, fmt.Sprint(value))
	}
	journal := struct{ Requests []Fields }{}
	err := f.Control("GET", "/requests?"+query.Encode(), nil, &journal)
	return journal.Requests, err
}

// Verify returns an error, with a table of what came instead, unless the requests came that a test expects.
func (f *Fixture) Verify(expectation Fields) error {
	return f.Control("POST", "/verify", expectation, nil)
}

// tail keeps the end of what is written to it, and passes it on once echo is called.
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

// hush ends the echo: the double tells that it ends, which it is told to.
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
