//lint:file-ignore SA1019 the fixture offers what clients of the older eras still use

//go:build unix

package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"forge/tools"
)

// The server the public suite is run against: what forge serves goes the whole way,
// through the door and the guard; what the suite wants beyond that (prompts,
// resources, questions to the client) stands on the same engine.

// A toy is a tool of the tests.
type toy struct {
	spec tools.Spec
	run  func(ctx context.Context, input string, out io.Writer) (tools.Result, error)
	kind tools.Kind
}

func (t toy) Spec() tools.Spec { return t.spec }

func (t toy) Prepare(_ context.Context, c tools.Call) (*tools.Invocation, error) {
	if !json.Valid([]byte(c.Input)) || c.Input[0] != '{' {
		return nil, errors.New("the arguments are no object")
	}
	return &tools.Invocation{Effect: tools.Effect{Kind: t.kind, Title: t.spec.Name}, Run: func(ctx context.Context, _ tools.Effect, out io.Writer) (tools.Result, error) {
		return t.run(ctx, c.Input, out)
	}}, nil
}

const noArguments = `{"type":"object","properties":{}}`

func newToy(name, schema string, run func(ctx context.Context, input string, out io.Writer) (tools.Result, error)) toy {
	return toy{spec: tools.Spec{Name: name, Description: "A tool of the tests: " + name, Schema: json.RawMessage(schema)}, run: run, kind: tools.Read}
}

func says(text string) func(context.Context, string, io.Writer) (tools.Result, error) {
	return func(context.Context, string, io.Writer) (tools.Result, error) { return tools.Result{Text: text}, nil }
}

// service makes a Service of toys, all of them offered.
func service(t *testing.T, g tools.Guard, log io.Writer, toys ...tools.Tool) *Service {
	t.Helper()
	reg, err := tools.NewRegistry(toys...)
	if err != nil {
		t.Fatal(err)
	}
	o := ServeOptions{Exec: &tools.Executor{Tools: reg, Guard: g}, Instructions: "Toys.", Version: "1", Log: slog.New(slog.NewTextHandler(log, nil))}
	for _, x := range toys {
		o.Offers = append(o.Offers, Offer{Name: x.Spec().Name, Reads: x.(toy).kind == tools.Read})
	}
	s, err := NewService(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

const (
	pixel    = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
	keywords = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
		"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
		"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
		"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
		"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}`
	mirrored = `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"level":{"type":"integer"}}}`
)

// fixture is a Service with all the suite asks for.
func fixture(t *testing.T) *Service {
	s := service(t, yes{}, io.Discard,
		newToy("test_simple_text", noArguments, says("a text")),
		newToy("test_image_content", noArguments, func(context.Context, string, io.Writer) (tools.Result, error) {
			return tools.Result{Images: []tools.Image{{MIME: "image/png", Data: pixel}}}, nil
		}),
		newToy("test_error_handling", noArguments, func(context.Context, string, io.Writer) (tools.Result, error) {
			return tools.Result{}, errors.New("it fails, as it is meant to")
		}),
		newToy("test_tool_with_progress", noArguments, func(ctx context.Context, _ string, out io.Writer) (tools.Result, error) {
			for i := range 3 {
				fmt.Fprintf(out, "step %d\n", i)
				select { // longer than between two reports
				case <-time.After(3 * liveEvery):
				case <-ctx.Done():
				}
			}
			return tools.Result{Text: "progressed"}, nil
		}),
		newToy("json_schema_2020_12_tool", keywords, says("seen")),
		newToy("test_x_mcp_header", mirrored, says("routed")),
		newToy("test_streaming_elicitation", noArguments, says("nothing was asked")),
	)
	// The wider engine: the same options, and what the suite wants of a server.
	wide := newServerEngine("1", "The fixture.", slog.New(slog.DiscardHandler), func(o *sdk.ServerOptions) {
		o.Capabilities = nil
		o.SetCacheable = nil
		o.SubscribeHandler = func(context.Context, *sdk.SubscribeRequest) error { return nil }
		o.UnsubscribeHandler = func(context.Context, *sdk.UnsubscribeRequest) error { return nil }
		o.CompletionHandler = func(context.Context, *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
			return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{}}}, nil
		}
	})
	for _, o := range s.o.Offers {
		tool, _ := s.o.Exec.Tools.Get(o.Name)
		if err := wide.offer(tool.Spec(), o, s.call); err != nil {
			t.Fatal(err)
		}
	}
	s.engine = wide
	e := extras{wide.s}
	e.contents()
	e.asking()
	e.rounds()
	e.notices()
	e.resources(t.Context())
	e.prompts()
	return s
}

// extras adds to an engine what no tool of forge does.
type extras struct{ s *sdk.Server }

type handle = func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error)

func (e extras) tool(name string, h handle) {
	e.s.AddTool(&sdk.Tool{Name: name, Description: "A tool of the tests: " + name, InputSchema: json.RawMessage(`{"type":"object"}`)}, h)
}

func texts(format string, args ...any) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: fmt.Sprintf(format, args...)}}}
}

func decoded(s string) []byte {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

func dot() []byte { return decoded(pixel) }

func (e extras) contents() {
	give := func(c ...sdk.Content) handle {
		return func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: c}, nil
		}
	}
	embedded := func(uri string) sdk.Content {
		return &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: uri, MIMEType: "text/plain", Text: "inside"}}
	}
	e.tool("test_audio_content", give(&sdk.AudioContent{MIMEType: "audio/wav", Data: decoded("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=")}))
	e.tool("test_embedded_resource", give(embedded("test://embedded-resource")))
	e.tool("test_multiple_content_types", give(&sdk.TextContent{Text: "one of three"}, &sdk.ImageContent{MIMEType: "image/png", Data: dot()}, embedded("test://mixed-content-resource")))
	logs := func(n int) handle {
		return func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			for i := range n {
				if err := r.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: fmt.Sprintf("line %d", i)}); err != nil {
					return nil, err
				}
				time.Sleep(20 * time.Millisecond)
			}
			return texts("logged"), nil
		}
	}
	e.tool("test_tool_with_logging", logs(3))
	e.tool("test_logging_tool", logs(1))
	e.tool("test_reconnection", func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if r.Extra != nil && r.Extra.CloseSSEStream != nil {
			r.Extra.CloseSSEStream(sdk.CloseSSEStreamArgs{RetryAfter: 10 * time.Millisecond})
		}
		time.Sleep(100 * time.Millisecond)
		return texts("reached after the stream was closed"), nil
	})
	e.tool("test_missing_capability", func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if c := r.ClientCapabilities(); c != nil && c.Sampling != nil {
			return texts("the client can"), nil
		}
		data, err := json.Marshal(sdk.MissingRequiredClientCapabilityData{RequiredCapabilities: &sdk.ClientCapabilities{Sampling: &sdk.SamplingCapabilities{}}})
		if err != nil {
			return nil, err
		}
		return nil, &jsonrpc.Error{Code: sdk.CodeMissingRequiredClientCapabilities, Message: "the client cannot sample", Data: data}
	})
}

// asking is what asks the client in the older era, by requests of its own.
func (e extras) asking() {
	e.tool("test_sampling", func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var in struct{ Prompt string }
		if err := json.Unmarshal(r.Params.Arguments, &in); err != nil {
			return nil, err
		}
		got, err := r.Session.CreateMessage(ctx, sampling(in.Prompt))
		if err != nil {
			return nil, err
		}
		text, _ := got.Content.(*sdk.TextContent)
		if text == nil {
			return nil, errors.New("the sample is no text")
		}
		return texts("LLM response: %s", text.Text), nil
	})
	ask := func(name, message, schema string) {
		e.tool(name, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			var in struct{ Message string }
			_ = json.Unmarshal(r.Params.Arguments, &in)
			if in.Message == "" {
				in.Message = message
			}
			a, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Message: in.Message, RequestedSchema: json.RawMessage(schema)})
			if err != nil {
				return nil, err
			}
			return texts("answered: action=%s, content=%v", a.Action, a.Content), nil
		})
	}
	ask("test_elicitation", "Who?", `{"type":"object","properties":{"username":{"type":"string","description":"a name"}},"required":["username"]}`)
	ask("test_elicitation_sep1034_defaults", "With defaults", `{"type":"object","properties":{"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},
		"score":{"type":"number","default":95.5},"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}}}`)
	ask("test_elicitation_sep1330_enums", "With choices", `{"type":"object","properties":{"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
		"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
		"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
		"untitledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","enum":["option1","option2","option3"]}},
		"titledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}}`)
}

func sampling(prompt string) *sdk.CreateMessageParams {
	return &sdk.CreateMessageParams{MaxTokens: 50, Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: prompt}}}}
}

func form(message, field, kind string) *sdk.ElicitParams {
	return &sdk.ElicitParams{Message: message, RequestedSchema: map[string]any{
		"type": "object", "properties": map[string]any{field: map[string]any{"type": kind}}, "required": []string{field}}}
}

// filled is a form the client sent back filled in; nil: it did not.
func filled(in sdk.InputResponseMap, key string) map[string]any {
	if a, ok := in[key].(*sdk.ElicitResult); ok && a != nil && a.Action == "accept" {
		return a.Content
	}
	return nil
}

// rounds is what asks the client in the newer era, by results that want input.
func (e extras) rounds() {
	want := func(state string, in sdk.InputRequestMap) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{InputRequests: in, RequestState: state}, nil
	}
	sampled := func(in sdk.InputResponseMap, key string) bool {
		_, ok := in[key].(*sdk.CreateMessageWithToolsResult)
		return ok
	}
	rooted := func(in sdk.InputResponseMap) bool {
		_, ok := in["client_roots"].(*sdk.ListRootsResult)
		return ok
	}
	const pre = "test_input_required_result_"
	e.tool(pre+"elicitation", func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if name, _ := filled(r.Params.InputResponses, "user_name")["name"].(string); name != "" {
			return texts("Hello, %s!", name), nil
		}
		return want("", sdk.InputRequestMap{"user_name": form("Who?", "name", "string")})
	})
	e.tool(pre+"sampling", func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if sampled(r.Params.InputResponses, "capital_question") {
			return texts("sampled"), nil
		}
		return want("", sdk.InputRequestMap{"capital_question": sampling("What is the capital of France?")})
	})
	e.tool(pre+"list_roots", func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if rooted(r.Params.InputResponses) {
			return texts("rooted"), nil
		}
		return want("", sdk.InputRequestMap{"client_roots": &sdk.ListRootsParams{}})
	})
	// A state that was tampered with is refused: it must be one that was given out.
	for _, name := range []string{"request_state", "tampered_state"} {
		e.tool(pre+name, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			state := r.Params.RequestState
			answer := filled(r.Params.InputResponses, "confirm")
			switch {
			case state != "" && state != "given:"+name, state == "" && answer != nil:
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "that requestState was not given out"}
			case answer != nil:
				return texts("state-ok: confirmed"), nil
			}
			return want("given:"+name, sdk.InputRequestMap{"confirm": form("Sure?", "ok", "boolean")})
		})
	}
	e.tool(pre+"multiple_inputs", func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if in := r.Params.InputResponses; filled(in, "user_name") != nil && sampled(in, "greeting") && rooted(in) {
			return texts("all three"), nil
		}
		return want("several", sdk.InputRequestMap{"user_name": form("Who?", "name", "string"), "greeting": sampling("Greet"), "client_roots": &sdk.ListRootsParams{}})
	})
	e.tool(pre+"multi_round", func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		switch name, second := strings.CutPrefix(r.Params.RequestState, "second:"); {
		case second:
			return texts("%s likes %v", name, filled(r.Params.InputResponses, "step2")["color"]), nil
		case r.Params.RequestState == "first":
			return want(fmt.Sprintf("second:%v", filled(r.Params.InputResponses, "step1")["name"]), sdk.InputRequestMap{"step2": form("Which colour?", "color", "string")})
		}
		return want("first", sdk.InputRequestMap{"step1": form("Who?", "name", "string")})
	})
	e.tool(pre+"capabilities", func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		in := sdk.InputRequestMap{}
		if c := r.ClientCapabilities(); c != nil && len(r.Params.InputResponses) == 0 {
			if c.Elicitation != nil {
				in["user_name"] = form("Who?", "name", "string")
			}
			if c.Sampling != nil {
				in["greeting"] = sampling("Greet")
			}
			if c.RootsV2 != nil {
				in["client_roots"] = &sdk.ListRootsParams{}
			}
		}
		if len(in) > 0 {
			return want("", in)
		}
		return texts("nothing more is wanted"), nil
	})
}

// notices is what makes lists change.
func (e extras) notices() {
	e.tool("test_trigger_tool_change", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		e.tool("passing", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return texts("passing"), nil })
		return texts("changed"), nil
	})
	e.tool("test_trigger_prompt_change", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		e.s.AddPrompt(&sdk.Prompt{Name: "passing", Description: "passing"}, func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return &sdk.GetPromptResult{}, nil
		})
		return texts("changed"), nil
	})
}

func (e extras) resources(ctx context.Context) {
	read := func(mime string, of func(uri string) (string, []byte)) sdk.ResourceHandler {
		return func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			text, blob := of(r.Params.URI)
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, MIMEType: mime, Text: text, Blob: blob}}}, nil
		}
	}
	fixed := func(text string, blob []byte) func(string) (string, []byte) {
		return func(string) (string, []byte) { return text, blob }
	}
	e.s.AddResource(&sdk.Resource{URI: "test://static-text", Name: "text", MIMEType: "text/plain"}, read("text/plain", fixed("fixed", nil)))
	e.s.AddResource(&sdk.Resource{URI: "test://static-binary", Name: "binary", MIMEType: "image/png"}, read("image/png", fixed("", dot())))
	e.s.AddResource(&sdk.Resource{URI: "test://watched-resource", Name: "watched", MIMEType: "text/plain"}, read("text/plain", fixed("watched", nil)))
	e.s.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: "test://template/{id}/data", Name: "template", MIMEType: "application/json"}, read("application/json", func(uri string) (string, []byte) {
		id := strings.TrimSuffix(strings.TrimPrefix(uri, "test://template/"), "/data")
		return fmt.Sprintf(`{"id":%q,"templateTest":true}`, id), nil
	}))
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(2 * time.Second):
				_ = e.s.ResourceUpdated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: "test://watched-resource"})
			}
		}
	}()
}

func (e extras) prompts() {
	give := func(of func(args map[string]string) []sdk.Content) sdk.PromptHandler {
		return func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			out := &sdk.GetPromptResult{Description: "of the tests"}
			for _, c := range of(r.Params.Arguments) {
				out.Messages = append(out.Messages, &sdk.PromptMessage{Role: "user", Content: c})
			}
			return out, nil
		}
	}
	wants := func(names ...string) (out []*sdk.PromptArgument) {
		for _, n := range names {
			out = append(out, &sdk.PromptArgument{Name: n, Description: n, Required: true})
		}
		return out
	}
	e.s.AddPrompt(&sdk.Prompt{Name: "test_simple_prompt", Description: "simple"}, give(func(map[string]string) []sdk.Content {
		return []sdk.Content{&sdk.TextContent{Text: "simple"}}
	}))
	e.s.AddPrompt(&sdk.Prompt{Name: "test_prompt_with_arguments", Description: "with arguments", Arguments: wants("arg1", "arg2")}, give(func(a map[string]string) []sdk.Content {
		return []sdk.Content{&sdk.TextContent{Text: fmt.Sprintf("arg1='%s', arg2='%s'", a["arg1"], a["arg2"])}}
	}))
	e.s.AddPrompt(&sdk.Prompt{Name: "test_prompt_with_embedded_resource", Description: "with a resource", Arguments: wants("resourceUri")}, give(func(a map[string]string) []sdk.Content {
		return []sdk.Content{&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: a["resourceUri"], MIMEType: "text/plain", Text: "inside"}}, &sdk.TextContent{Text: "look at it"}}
	}))
	e.s.AddPrompt(&sdk.Prompt{Name: "test_prompt_with_image", Description: "with a picture"}, give(func(map[string]string) []sdk.Content {
		return []sdk.Content{&sdk.ImageContent{MIMEType: "image/png", Data: dot()}, &sdk.TextContent{Text: "look at it"}}
	}))
	e.s.AddPrompt(&sdk.Prompt{Name: "test_input_required_result_prompt", Description: "asks first"}, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		if c := filled(r.Params.InputResponses, "user_context"); c != nil {
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: fmt.Sprint(c["context"])}}}}, nil
		}
		return &sdk.GetPromptResult{InputRequests: sdk.InputRequestMap{"user_context": form("About what?", "context", "string")}}, nil
	})
}
