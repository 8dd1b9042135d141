package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// questioner is an MCP server that asks the person: its tool form has fields filled
// in, its tool page has a page opened.
func questioner() {
	s := sdk.NewServer(&sdk.Implementation{Name: "questioner", Version: "1"}, nil)
	none := json.RawMessage(`{"type":"object"}`)
	ask := func(name string, p *sdk.ElicitParams) {
		s.AddTool(&sdk.Tool{Name: name, InputSchema: none}, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			a, ok := r.Params.InputResponses["asked"].(*sdk.ElicitResult)
			if !ok {
				return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"asked": p}}, nil
			}
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: fmt.Sprint("answered: ", a.Action, " ", a.Content)}}}, nil
		})
	}
	ask("form", &sdk.ElicitParams{Message: "Who are you?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{
		"first":{"type":"string","title":"First"},"kind":{"type":"array","title":"Kind","items":{"type":"string","enum":["alpha","beta","gamma"]}},"last":{"type":"string","title":"Last"}}}`)})
	ask("page", &sdk.ElicitParams{Mode: "url", Message: strings.Repeat("Read on.\n", 60), URL: "https://pay.example/x", ElicitationID: "1"})
	if err := s.Run(context.Background(), &sdk.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
