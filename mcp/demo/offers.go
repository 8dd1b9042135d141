package demo

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// guide is the resource.
const guide = `A server offers three things. Tools are called by the model: current_time and
word_count here. Resources are read: this one, and zone://{zone}, the time in a zone.
Prompts are for people, who choose one as a command: briefing here.
`

// zones are what is offered where a time zone may stand.
var zones = []string{"Africa/Cairo", "America/New_York", "America/Sao_Paulo", "Asia/Shanghai", "Asia/Tokyo", "Australia/Sydney", "Europe/Berlin", "Europe/London", "Europe/Paris", "UTC"}

// offer adds what is not called by a model.
func offer(s *mcp.Server, now func() time.Time) {
	s.AddResource(&mcp.Resource{URI: "guide://servers", Name: "guide", Title: "What a server offers", MIMEType: "text/plain"},
		func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return text(r.Params.URI, guide), nil
		})
	s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "zone://{zone}", Name: "zone", Title: "The time in a time zone", MIMEType: "text/plain"},
		func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			name, err := url.PathUnescape(strings.TrimPrefix(r.Params.URI, "zone://"))
			if err != nil {
				return nil, mcp.ResourceNotFoundError(r.Params.URI)
			}
			zone, err := time.LoadLocation(name)
			if err != nil || name == "" {
				return nil, mcp.ResourceNotFoundError(r.Params.URI)
			}
			return text(r.Params.URI, now().In(zone).Format(time.RFC1123Z)+"\n"), nil
		})
	s.AddPrompt(&mcp.Prompt{Name: "briefing", Title: "Briefing", Description: "Say what the day is like in a time zone", Arguments: []*mcp.PromptArgument{
		{Name: "zone", Description: "an IANA zone such as Europe/Paris", Required: true},
		{Name: "style", Description: "short or long; left out: short"},
	}}, func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		style := r.Params.Arguments["style"]
		if style == "" {
			style = "short"
		}
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{
			Text: fmt.Sprintf("Ask for the time in %s and write a %s briefing: the day, the hour, and whether people there are awake.", r.Params.Arguments["zone"], style)}}}}, nil
	})
}

func text(uri, s string) *mcp.ReadResourceResult {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: "text/plain", Text: s}}}
}

// complete completes the zone of the template and the arguments of the prompt.
func complete(_ context.Context, r *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	from := zones
	if r.Params.Argument.Name == "style" {
		from = []string{"long", "short"}
	}
	res := &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}
	for _, v := range from {
		if strings.HasPrefix(strings.ToLower(v), strings.ToLower(r.Params.Argument.Value)) {
			res.Completion.Values = append(res.Completion.Values, v)
		}
	}
	return res, nil
}
