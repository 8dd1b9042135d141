package mcp

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Content is one part of a result, a prompt or a resource.
type Content struct {
	Kind     string // text, image, audio, link, resource, or the server's word for what forge does not know
	Text     string
	MIME     string
	Data     []byte // of an image, of audio, or of a binary resource
	Broken   string // why Data could not be read
	URI      string
	Name     string
	Size     int64
	Note     string // the description of a link
	Audience []string
}

// forModel says whether the model is to see it: parts may be meant for the user
// alone.
func (c Content) forModel() bool {
	return len(c.Audience) == 0 || slices.Contains(c.Audience, "assistant")
}

// RemoteResult is what a tool answered.
type RemoteResult struct {
	Content    []Content
	Structured json.RawMessage // any JSON value; nil: none
	IsError    bool
}

func decodeResult(raw json.RawMessage) (RemoteResult, error) {
	var r struct {
		Content    json.RawMessage `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    json.RawMessage `json:"isError"`
		Legacy     json.RawMessage `json:"toolResult"` // before 2024-11-05
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return RemoteResult{}, fmt.Errorf("the server's result cannot be read: %w", err)
	}
	out := RemoteResult{Structured: r.Structured, IsError: string(r.IsError) == "true"}
	if out.Structured == nil {
		out.Structured = r.Legacy
	}
	var parts []json.RawMessage
	switch {
	case r.Content == nil || string(r.Content) == "null":
	case json.Unmarshal(r.Content, &parts) == nil:
	default: // one part, or a bare text, where a list is wanted
		parts = []json.RawMessage{r.Content}
	}
	for _, p := range parts {
		out.Content = append(out.Content, decodeContent(p))
	}
	return out, nil
}

// decodeContent reads one part. It never fails: what is not understood is kept as
// its JSON, since a model can often read it all the same.
func decodeContent(raw json.RawMessage) Content {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return Content{Kind: "text", Text: s}
	}
	var p struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		Data        string `json:"data"`
		MIME        string `json:"mimeType"`
		URI         string `json:"uri"`
		Name        string `json:"name"`
		Title       string `json:"title"`
		Description string `json:"description"`
		Size        int64  `json:"size"`
		Resource    *struct {
			URI  string  `json:"uri"`
			MIME string  `json:"mimeType"`
			Text *string `json:"text"`
			Blob *string `json:"blob"`
		} `json:"resource"`
		Annotations json.RawMessage `json:"annotations"`
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return Content{Kind: "unknown", Text: string(raw)}
	}
	var notes struct {
		Audience []string `json:"audience"`
	}
	if json.Unmarshal(p.Annotations, &notes) != nil { // none, or none that can be read
		notes.Audience = nil
	}
	c := Content{Kind: p.Type, MIME: p.MIME, Audience: notes.Audience}
	switch p.Type {
	case "text":
		c.Text = p.Text
	case "image", "audio":
		c.Data, c.Broken = decodeBase64(p.Data)
	case "resource_link":
		c.Kind, c.URI, c.Name, c.Size, c.Note = "link", p.URI, p.Name, p.Size, p.Description
		if p.Title != "" {
			c.Name = p.Title
		}
	case "resource":
		if p.Resource == nil {
			c.Broken = "it holds no resource"
			break
		}
		c.URI, c.MIME = p.Resource.URI, p.Resource.MIME
		switch {
		case p.Resource.Blob != nil && *p.Resource.Blob != "":
			c.Data, c.Broken = decodeBase64(*p.Resource.Blob)
		case p.Resource.Text != nil:
			c.Text = *p.Resource.Text
		}
	default:
		c.Text = string(raw)
		if c.Kind == "" {
			c.Kind = "unknown"
		}
	}
	return c
}

func decodeBase64(s string) (data []byte, broken string) {
	if i := strings.Index(s, ";base64,"); strings.HasPrefix(s, "data:") && i >= 0 {
		s = s[i+len(";base64,"):]
	}
	data, err := base64.StdEncoding.DecodeString(s) // which skips line ends
	if err != nil {
		data, err = base64.RawURLEncoding.DecodeString(strings.TrimRight(strings.NewReplacer("+", "-", "/", "_", "\n", "", "\r", "").Replace(s), "="))
	}
	switch {
	case err != nil:
		return nil, "its data is no base64"
	case len(data) == 0:
		return nil, "it is empty"
	}
	return data, ""
}

// Prompt is a prompt a server offers.
type Prompt struct {
	Server, Name, Title, Description string
	Arguments                        []PromptArgument
}

// PromptArgument is one value of a Prompt.
type PromptArgument struct {
	Name, Description string
	Required          bool
}

// PromptMessage is one message of a prompt that was filled in.
type PromptMessage struct {
	Role    string
	Content Content
}

// Resource is a resource, or a template of such, that a server offers.
type Resource struct {
	Server, URI, Name, Title, Description, MIME string
	Size                                        int64
	Template                                    bool // URI has {places} to fill
}

// Reference names what an argument is completed for: one of the two.
type Reference struct{ Prompt, Template string }
