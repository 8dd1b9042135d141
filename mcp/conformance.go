package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"forge/tools"
)

// suiteLogin logs in at the suite's authorization server, which sends whoever visits
// it back at once.
func suiteLogin(client, secret string) func(string, ServerConfig) (loginHandler, error) {
	return func(string, ServerConfig) (loginHandler, error) {
		return newLogin(loginWay{Redirect: "http://localhost:3000/callback", Client: client, Secret: secret,
			Document: "https://conformance-test.local/client-metadata.json",
			Visit: func(ctx context.Context, address string) (Returned, error) {
				c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
				req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
				if err != nil {
					return Returned{}, err
				}
				resp, err := c.Do(req)
				if err != nil {
					return Returned{}, err
				}
				resp.Body.Close()
				at, err := resp.Location()
				if err != nil {
					return Returned{}, fmt.Errorf("the authorization server does not send back: %w", err)
				}
				q := at.Query()
				return Returned{Code: q.Get("code"), State: q.Get("state"), Issuer: q.Get("iss")}, nil
			}})
	}
}

// Conformance drives a server the way a model and a person would, through the same
// manager, registry and door as a session: it lists, calls every tool, reads every
// resource and asks for every prompt. It is the client the protocol's public suite
// is run against. setting is the suite's word on what to do, in JSON; empty: all.
func Conformance(ctx context.Context, url, setting string, out io.Writer) error {
	var s struct {
		Client string `json:"client_id"`
		Secret string `json:"client_secret"`
		Calls  []struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"toolCalls"`
	}
	if setting != "" {
		if err := json.Unmarshal([]byte(setting), &s); err != nil {
			return fmt.Errorf("the suite's setting: %w", err)
		}
	}
	reg, err := tools.NewRegistry()
	if err != nil {
		return err
	}
	never := false
	m := Mount(ctx, Options{
		Servers:  map[string]ServerConfig{"conformance": {URL: url, Trust: true, Defer: &never, Timeout: Duration(10 * time.Second)}},
		Registry: reg, Asker: defaults{}, Version: "0", Login: suiteLogin(s.Client, s.Secret),
	})
	defer m.Close()
	if late := m.Wait(ctx, 25*time.Second); late != nil {
		return errors.New("the server was not ready in time")
	}
	st := m.Status()[0]
	if st.State != Ready {
		return fmt.Errorf("%s: %s\n%s", st.State, st.Reason, st.Stderr)
	}
	fmt.Fprintf(out, "protocol %s\n", st.About.Version)
	reg.Active()
	x := &tools.Executor{Tools: reg, Guard: everything{}}
	call := func(name string, args []byte) {
		c := tools.Call{ID: "c", Name: name, Input: string(args)}
		inv, err := x.Prepare(ctx, c)
		if err != nil {
			fmt.Fprintf(out, "%s: %v\n", name, err)
			return
		}
		r := x.Run(ctx, c, inv, tools.Watch{}).Result
		fmt.Fprintf(out, "%s: %s\n", name, clip(r.Text, 200))
	}
	for _, t := range st.Tools {
		i := slices.IndexFunc(s.Calls, func(c struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		}) bool {
			return c.Name == t.Remote
		})
		switch {
		case !t.On:
			fmt.Fprintf(out, "%s is off: %s\n", t.Remote, t.Why)
		case i >= 0:
			call(t.Name, s.Calls[i].Arguments)
		case len(s.Calls) == 0:
			tool, ok := reg.Get(t.Name)
			if !ok {
				continue
			}
			args := sample(tool.Spec().Schema)
			if t.Remote == "json_schema_echo" { // the one tool that wants another's schema
				for _, o := range st.Tools {
					if def, ok := reg.Get(o.Name); ok && o.Remote == "json_schema_2020_12_tool" {
						args, _ = json.Marshal(map[string]any{"schema": def.(*remote).def.Input})
					}
				}
			}
			call(t.Name, args)
		}
	}
	for _, r := range m.Resources(ctx) {
		if !r.Template {
			_, err := m.Read(ctx, r.Server, r.URI)
			fmt.Fprintf(out, "resource %s: %v\n", r.URI, err)
		}
	}
	for _, p := range m.Prompts(ctx) {
		_, err := m.Prompt(ctx, p.Server, p.Name, nil)
		fmt.Fprintf(out, "prompt %s: %v\n", p.Name, err)
	}
	return nil
}

// everything allows what the suite's server offers: it is a toy on loopback.
type everything struct{}

func (everything) Authorize(context.Context, tools.Call, tools.Effect) (tools.Verdict, error) {
	return tools.Verdict{Allow: true}, nil
}

// defaults answers forms with what they begin with, and where that is not enough
// with what fits.
type defaults struct{}

func (defaults) Ask(_ context.Context, q tools.Question) (tools.Reply, error) {
	if q.Source == "mcp:url" {
		return tools.Reply{Choice: "decline"}, nil
	}
	r := tools.Reply{Choice: "accept", Values: map[string]string{}}
	for _, f := range q.Fields {
		v := f.Default
		switch {
		case v != "":
		case len(f.Options) > 0:
			if f.Required || f.Options[0].Value == "yes" {
				v = f.Options[0].Value
			}
		case strings.Contains(f.Note, "number"):
			v = "1"
		case strings.Contains(f.Note, "e-mail"):
			v = "a@example.com"
		case f.Required:
			v = "x"
		}
		r.Values[f.Name] = v
	}
	return r, nil
}

// sample makes arguments that fit a schema.
func sample(schema []byte) []byte {
	var v any
	if json.Unmarshal(schema, &v) != nil {
		return []byte("{}")
	}
	b, err := json.Marshal(sampleOf(v))
	if err != nil {
		return []byte("{}")
	}
	return b
}

func sampleOf(schema any) any {
	s, _ := schema.(map[string]any)
	if d, ok := s["default"]; ok {
		return d
	}
	if e, ok := s["enum"].([]any); ok && len(e) > 0 {
		return e[0]
	}
	switch s["type"] {
	case "string":
		return "x"
	case "number", "integer":
		return 1
	case "boolean":
		return true
	case "array":
		return []any{}
	}
	out := map[string]any{}
	props, _ := s["properties"].(map[string]any)
	for k, p := range props {
		out[k] = sampleOf(p)
	}
	return out
}
