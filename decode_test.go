package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"forge/models"
	"forge/ui/cli"
)

// `forge debug decode` makes of every recorded reply what stands beside it.
func TestDebugDecode(t *testing.T) {
	t.Parallel()
	for wire, dirs := range map[string][]string{
		"openai":    {"provider/openai/testdata/wire", "provider/openai/testdata/synthetic"},
		"anthropic": {"provider/anthropic/testdata/streams"},
	} {
		var files []string
		for _, dir := range dirs {
			found, err := filepath.Glob(filepath.Join(filepath.FromSlash(dir), "*.sse"))
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, found...)
		}
		if len(files) < 50 {
			t.Fatalf("only %d replies of %s", len(files), wire)
		}
		for _, file := range files {
			var out, errOut bytes.Buffer
			root := cli.Root(cli.Options{Out: &out, Err: &errOut, Debug: cli.DebugOptions{Wires: models.Decoders()}})
			root.SetArgs([]string{"debug", "decode", "--wire", wire, file})
			if err := root.ExecuteContext(t.Context()); err != nil || errOut.Len() > 0 {
				t.Errorf("%s: %v %s", file, err, errOut.String())
				continue
			}
			want, err := os.ReadFile(strings.TrimSuffix(file, ".sse") + ".json")
			if err != nil {
				t.Fatal(err)
			}
			compareReplies(t, file, out.Bytes(), want)
		}
	}
}

func compareReplies(t *testing.T, name string, got, want []byte) {
	t.Helper()
	var g, w map[string]any
	if err := json.Unmarshal(got, &g); err != nil {
		t.Errorf("%s: %v: %s", name, err, got)
		return
	}
	if err := json.Unmarshal(want, &w); err != nil {
		t.Fatal(err)
	}
	for key, value := range w {
		if strings.HasPrefix(key, "_") || key == "note" || key == "network_chunk_sizes" {
			continue // describes the file
		}
		if !reflect.DeepEqual(arguments(g[key]), arguments(value)) {
			t.Errorf("%s: %s is %v, want %v", name, key, g[key], value)
		}
	}
}

// arguments turns the argument text of calls into values: where a server sent
// them whole, the blanks between them are nobody's.
func arguments(v any) any {
	calls, ok := v.([]any)
	if !ok {
		return v
	}
	for _, c := range calls {
		call, _ := c.(map[string]any)
		for _, key := range []string{"arguments", "input"} {
			text, _ := call[key].(string)
			var value any
			if json.Unmarshal([]byte(text), &value) == nil {
				call[key] = value
			}
		}
	}
	return v
}
