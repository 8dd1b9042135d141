package provider

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestClassifyFixtures holds every recorded error body against its kind, and
// where it matters against the numbers, field and hint.
func TestClassifyFixtures(t *testing.T) {
	want := map[string]struct {
		window      int
		field, hint string
	}{
		"anthropic-context-length":      {window: 200000},
		"deepseek-context-length":       {window: 1048565},
		"openrouter-context-length":     {window: 200000},
		"llamacpp-context-length":       {window: 512},
		"anthropic-401":                 {hint: "key refused"},
		"deepseek-401":                  {hint: "key refused"},
		"openrouter-401":                {hint: "no key was sent"},
		"llamacpp-tools-without-jinja":  {hint: "--jinja"},
		"llamacpp-no-images":            {hint: "--mmproj"},
		"deepseek-no-images":            {hint: "cannot see images"},
		"openai-404-model":              {hint: "forge models"},
		"openrouter-400-model":          {hint: "forge models"},
		"mistral-400-flat":              {hint: "forge models"},
		"venice-404-string-error":       {hint: "forge models"},
		"openai-top-p":                  {field: "top_p"},
		"openai-400-temperature":        {field: "temperature"},
		"openai-tools-with-effort":      {field: "reasoning_effort"},
		"deepseek-thinking-tool-choice": {field: "tool_choice"},
		"anthropic-orphan-tool-use":     {hint: "/compact or /new"},
		"anthropic-too-many-optional":   {hint: "schema"},
		"openai-max-tokens-too-small":   {hint: "raise --max-tokens"},
	}
	files, _ := filepath.Glob("testdata/errors/*.json")
	if len(files) < 30 {
		t.Fatalf("%d fixtures, want all of them", len(files))
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var fx struct {
				Kind    Kind
				Status  int
				Headers map[string]string
				Body    string
			}
			if err := json.Unmarshal(raw, &fx); err != nil {
				t.Fatal(err)
			}
			h := http.Header{}
			for k, v := range fx.Headers {
				h.Set(k, v)
			}
			e := Classify(fx.Status, h, []byte(fx.Body))
			if e.Kind != fx.Kind {
				t.Errorf("kind %s, want %s", e.Kind, fx.Kind)
			}
			if e.Hint == "" || strings.Contains(e.Hint+e.Message, "\n") || e.Message == "" {
				t.Errorf("message %q, hint %q: want one line each", e.Message, e.Hint)
			}
			w := want[name]
			delete(want, name)
			if e.Window != w.window {
				t.Errorf("window %d, want %d", e.Window, w.window)
			}
			if w.field != "" && e.Field != w.field {
				t.Errorf("field %q, want %q", e.Field, w.field)
			}
			if !strings.Contains(e.Hint, w.hint) {
				t.Errorf("hint %q, want %q in it", e.Hint, w.hint)
			}
			if h.Get("X-Should-Retry") == "false" && !e.NoRetry {
				t.Error("the server forbade a retry")
			}
			if name == "azure-429" && e.After != time.Second {
				t.Errorf("After %s, want 1s", e.After)
			}
			if name == "openrouter-429" && !strings.Contains(e.Message, "temporarily rate-limited upstream") {
				t.Errorf("message %q lacks what the inner server said", e.Message)
			}
		})
	}
	for name := range want {
		t.Errorf("no fixture %s", name)
	}
}
