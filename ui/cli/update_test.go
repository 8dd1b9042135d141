package cli

import (
	"bytes"
	"context"
	"errors"
	"testing"
)

// Whoever only wants to know whether there is another forge gets none, whatever stands
// beside that.
func TestCheckTakesNothing(t *testing.T) {
	for _, u := range []Update{{Version: "v1", Numbered: true, There: true}, {Version: "v2", Newer: true, Numbered: true, There: true}, {Version: "v1", There: true}} {
		for _, args := range [][]string{{"update", "--check"}, {"update", "--check", "--force"}} {
			var out bytes.Buffer
			root := Root(Options{Version: "v1", Out: &out, Err: &out, Update: UpdateOptions{Version: "v1",
				Look: func(context.Context) (Update, error) { return u, nil },
				Install: func(context.Context, Update) (string, error) {
					t.Errorf("%v took %+v", args, u)
					return "", nil
				}}})
			root.SetArgs(args)
			var usage Usage
			if err := root.Execute(); errors.As(err, &usage) != (len(args) == 3) {
				t.Errorf("%v: %v", args, err)
			}
		}
	}
}
