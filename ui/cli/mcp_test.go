package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// mcpRun runs forge with these arguments against stand-ins for main's part.
func mcpRun(o MCPOptions, args ...string) (out string, err error) {
	var b bytes.Buffer
	if o.List == nil {
		o.List = func(Flags) ([]MCPServer, []string, error) { return nil, nil, nil }
	}
	c := Root(Options{Out: &b, Err: &b, In: strings.NewReader(""), MCP: o})
	c.SetArgs(append([]string{"mcp"}, args...))
	err = c.ExecuteContext(context.Background())
	return b.String(), err
}

func TestMCPAdd(t *testing.T) {
	for line, want := range map[string]string{
		"add fs npx -y srv --flag .":                   "user fs [npx -y srv --flag .] map[] map[]",
		"add -e A=1 -e B=x=y --scope project fs npx":   "project fs [npx] map[A:1 B:x=y] map[]",
		"add -H K:\u00a0v docs https://x.y/z":          "user docs [https://x.y/z] map[] map[K:v]",
		"add --type http --replace docs https://x.y/z": "user docs [https://x.y/z] map[] map[] http replace",
		"add fs -- npx -y srv":                         "user fs [npx -y srv] map[] map[]",
		// Lines as they stand in what servers say of themselves: flags behind the name too.
		"add --transport http docs https://x.y/z":                       "user docs [https://x.y/z] map[] map[] http",
		"add docs https://x.y/z --transport sse -H K:v --scope project": "project docs [https://x.y/z] map[] map[K:v] sse",
		"add air -e K=V --env L=W -- npx -y srv -e mine":                "user air [npx -y srv -e mine] map[K:V L:W] map[]",
		"add air --scope project npx -y srv --scope x":                  "project air [npx -y srv --scope x] map[] map[]",
	} {
		var got string
		o := MCPOptions{Add: func(_ Flags, scope string, s MCPNew) (string, error) {
			got = fmt.Sprintf("%s %s %v %v %v", scope, s.Name, s.Words, s.Env, s.Headers)
			if s.Type != "" {
				got += " " + s.Type
			}
			if s.Replace {
				got += " replace"
			}
			return "the file", nil
		}}
		args := strings.Split(line, " ")
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "\u00a0", " ")
		}
		if out, err := mcpRun(o, args...); err != nil || got != want || !strings.Contains(out, "to the file") {
			t.Errorf("%s\n gives %s, %v\n want  %s", line, got, err, want)
		}
	}
	for _, line := range []string{"add", "add fs", "add --scope moon fs x", "add -e A fs x", "add -H K docs https://x", "add fs -e A=1", "add fs --unheard x", "add docs https://x y", "add docs https://x --unheard", "list x", "get", "test a b", "remove --scope moon x"} {
		var usage Usage
		if _, err := mcpRun(MCPOptions{}, strings.Split(line, " ")...); !errors.As(err, &usage) {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestMCPList(t *testing.T) {
	o := MCPOptions{List: func(f Flags) ([]MCPServer, []string, error) {
		if len(f.MCP) != 1 || f.MCP[0] != "a=b c" {
			t.Errorf("--mcp gives %q", f.MCP)
		}
		return []MCPServer{{Name: "a", Command: "b\x1b[31m c", Scope: "flag", State: "configured", Where: "--mcp", Config: json.RawMessage(`{"command":"b"}`)}}, []string{"file:3: oops"}, nil
	}}
	out, err := mcpRun(o, "list", "--mcp", "a=b c")
	if err != nil || !strings.HasPrefix(out, "forge: file:3: oops\na  flag  configured  b") || strings.Contains(out, "\x1b") {
		t.Errorf("list %q, %v", out, err)
	}
	if out, err = mcpRun(o, "get", "--mcp", "a=b c", "a"); err != nil || !strings.Contains(out, "a, configured, in --mcp\n{\n  \"command\": \"b\"\n}\n") {
		t.Errorf("get %q, %v", out, err)
	}
	if _, err = mcpRun(o, "get", "--mcp", "a=b c", "z"); err == nil || err.Error() != `no MCP server is named "z"; there are a` {
		t.Errorf("get: %v", err)
	}
}

func TestMCPTestAndLogs(t *testing.T) {
	o := MCPOptions{
		Test: func(_ context.Context, _ Flags, name string, out io.Writer) error {
			fmt.Fprintln(out, "trying "+name)
			return errors.New("it does not work")
		},
		Log: func(Flags, string) (string, error) { return "no/such/file", nil },
	}
	if out, err := mcpRun(o, "test", "a"); err == nil || out != "trying a\n" {
		t.Errorf("test %q, %v", out, err)
	}
	if _, err := mcpRun(o, "logs", "a"); err == nil || err.Error() != "a has written nothing yet" {
		t.Errorf("logs: %v", err)
	}
}

func TestMCPServe(t *testing.T) {
	for line, want := range map[string]string{
		"serve":                             "{ false} ask ",
		"serve --all -C d":                  "{ true} ask d",
		"serve --http :8931 --mode edits":   "{:8931 false} edits ",
		"serve --http 8931 --all --yolo":    "{8931 true} yolo ",
		"serve --mode moon":                 "usage",
		"serve here":                        "usage",
		"serve --http":                      "usage",
		"serve --http 1 --mode auto --all ": "usage", // a word that is empty is one too many
	} {
		got := ""
		_, err := mcpRun(MCPOptions{Serve: func(_ context.Context, f Flags, s MCPServe, in io.Reader, out, log io.Writer) error {
			if f.Mode == "" {
				f.Mode = "ask"
			}
			got = fmt.Sprintf("%v %s %s", s, f.Mode, f.Dir)
			return nil
		}}, strings.Split(line, " ")...)
		var usage Usage
		if errors.As(err, &usage) {
			got = "usage"
		}
		if got != want {
			t.Errorf("%s gives %s (%v)", line, got, err)
		}
	}
}
