//go:build unix

package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	acp "github.com/coder/acp-go-sdk"
	"github.com/tidwall/gjson"
)

// What is chosen last while a prompt is worked on is what answers next, also where it is
// what answered before, and an effort is for the model that was chosen before it.
func TestEditorChangesItsMind(t *testing.T) {
	t.Parallel()
	type request struct{ model, effort string }
	requests, answer := make(chan request), make(chan string)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
			io.WriteString(w, `{"data":[{"id":"gpt-5.2"},{"id":"gpt-5.1"}]}`)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		requests <- request{gjson.GetBytes(body, "model").String(), gjson.GetBytes(body, "reasoning_effort").String()}
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, <-answer)
	}))
	t.Cleanup(server.Close)
	p := newProgram(t, "OPENAI_API_KEY=k", "OPENAI_BASE_URL="+server.URL+"/v1")
	e := openEditor(t, p, "", "-m", "openai/gpt-5.2")
	s := e.begin()
	set := func(option, value string) {
		t.Helper()
		if _, err := e.SetSessionConfigOption(t.Context(), acp.SetSessionConfigOptionRequest{ValueId: &acp.SetSessionConfigOptionValueId{
			SessionId: s.SessionId, ConfigId: acp.SessionConfigId(option), Value: acp.SessionConfigValueId(value)}}); err != nil {
			t.Errorf("%s %s: %v", option, value, err)
		}
	}
	looks := `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c%d","function":{"name":"list_dir","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n"
	ended := make(chan error, 1)
	go func() {
		_, err := e.Prompt(t.Context(), acp.PromptRequest{SessionId: s.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock("go")}})
		ended <- err
	}()
	is := func(want request) {
		t.Helper()
		if got := <-requests; got != want {
			t.Errorf("%+v was asked for, not %+v", got, want)
		}
	}
	first := <-requests
	if first.model != "gpt-5.2" {
		t.Errorf("%+v answers first", first)
	}
	set("model", "openai/gpt-5.1")
	set("model", "openai/gpt-5.2") // no, after all
	answer <- fmt.Sprintf(looks, 1)
	is(first)
	set("model", "openai/gpt-5.1")
	set("effort", "low")
	answer <- fmt.Sprintf(looks, 2)
	is(request{"gpt-5.1", "low"})
	answer <- chunk("Done.", `"stop"`) + "data: [DONE]\n\n"
	if err := <-ended; err != nil {
		t.Error(err)
	}
	e.leave()
}
