package shop

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"stet"
)

func TestShippingMail(t *testing.T) {
	server := stet.StartT(t, stet.Options{Data: "../stet"})

	t.Run("fills in the template", func(t *testing.T) {
		done(t, server.Reset())
		expect(t, "200 <p>Hello Ada, your order 7 is on its way.</p>\n", mail(t, server, "Ada", "7"))
		requests, err := server.Requests(stet.Query{Filter: stet.Filter{Template: "shipped", Status: 200}})
		done(t, err)
		expect(t, "1", fmt.Sprint(len(requests)))
	})

	t.Run("sees an error of the service", func(t *testing.T) {
		done(t, server.Reset())
		_, err := server.AddFault(stet.Fault{Status: 500, Times: stet.Of(1)})
		done(t, err)
		expect(t, `500 {"error":"Internal server error"}`, mail(t, server, "Ada", "7"))
		expect(t, "200 <p>Hello Ada, your order 7 is on its way.</p>\n", mail(t, server, "Ada", "7"))
	})

	t.Run("runs out of requests until the next period", func(t *testing.T) {
		done(t, server.Reset())
		done(t, server.SetUsed("shop@example.com", 100))
		expect(t, "429 Plan limit exceeded", mail(t, server, "Ada", "7"))
		_, err := server.Advance("", "P30D")
		done(t, err)
		expect(t, "200 <p>Hello Ada, your order 7 is on its way.</p>\n", mail(t, server, "Ada", "7"))
	})
}

// mail represents the app under test, which is configured with the base URL and the key.
func mail(t *testing.T, server *stet.Fixture, name, order string) string {
	request, err := http.NewRequest("GET", server.BaseURL()+"/templates/shipped?format=html", nil)
	done(t, err)
	request.Header.Set("Authorization", "Bearer stet-test-key")
	response, err := http.DefaultClient.Do(request)
	done(t, err)
	defer response.Body.Close()
	html, err := io.ReadAll(response.Body)
	done(t, err)
	return fmt.Sprintf("%d %s", response.StatusCode, strings.NewReplacer("{{name}}", name, "{{order}}", order).Replace(string(html)))
}

func done(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func expect(t *testing.T, expected, is string) {
	t.Helper()
	if is != expected {
		t.Fatalf("expected: %s, but was: %s", expected, is)
	}
}
