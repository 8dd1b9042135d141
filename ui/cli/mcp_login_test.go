package cli

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestMCPLogin(t *testing.T) {
	var asked []string
	o := MCPOptions{
		Login: func(_ context.Context, _ Flags, name string, _ io.Reader, out io.Writer) error {
			asked = append(asked, "login "+name)
			_, err := io.WriteString(out, "visit\n")
			return err
		},
		Logout: func(_ Flags, name string) (bool, error) {
			asked = append(asked, "logout "+name)
			return name == "a", nil
		},
	}
	for args, want := range map[string]string{"login a": "visit\n", "logout a": "logged out of a\n", "logout b": "there was no login to b\n"} {
		asked = nil
		if out, err := mcpRun(o, strings.Fields(args)...); err != nil || out != want || strings.Join(asked, ",") != args {
			t.Errorf("%s: %q, %v, asked %q", args, out, err, asked)
		}
	}
	for _, args := range []string{"login", "logout a b"} {
		var usage Usage
		if _, err := mcpRun(o, strings.Fields(args)...); !errors.As(err, &usage) {
			t.Errorf("%s: %v", args, err)
		}
	}
}
