package tools

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

type place struct {
	Line int    `json:"line"`
	Why  string `json:"why,omitempty"`
}

type args struct {
	Path   string   `json:"path" description:"a file, <relative> & plain"`
	Limit  int      `json:"limit,omitempty"`
	Ratio  float64  `json:"ratio,omitempty"`
	All    bool     `json:"all,omitempty"`
	Names  []string `json:"names,omitempty"`
	Places []place  `json:"places,omitempty"`
	Mode   string   `json:"mode,omitempty" enum:"fast,slow"`
	Old    string   `json:"old" hidden:"true"`
	Inner  int      // without a tag: no argument
}

func TestSchema(t *testing.T) {
	got, err := SchemaOf(reflect.TypeFor[args]())
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"type":"object","properties":{` +
		`"path":{"type":"string","description":"a file, <relative> & plain"},` +
		`"limit":{"type":"integer"},"ratio":{"type":"number"},"all":{"type":"boolean"},` +
		`"names":{"type":"array","items":{"type":"string"}},` +
		`"places":{"type":"array","items":{"type":"object","properties":{"line":{"type":"integer"},"why":{"type":"string"}},"required":["line"]}},` +
		`"mode":{"type":"string","enum":["fast","slow"]}},"required":["path"]}`
	if string(got) != want {
		t.Errorf("schema\n%s\nwant\n%s", got, want)
	}
	if !json.Valid(got) {
		t.Error("not JSON")
	}
}

func TestSchemaOfNoArguments(t *testing.T) {
	got, err := SchemaOf(reflect.TypeFor[struct{}]())
	if err != nil || string(got) != `{"type":"object","properties":{},"required":[]}` {
		t.Errorf("%s, %v", got, err)
	}
}

type endless struct {
	Next []endless `json:"next"`
}

func TestSchemaRefuses(t *testing.T) {
	for _, typ := range []reflect.Type{
		reflect.TypeFor[string](),
		reflect.TypeFor[struct {
			M map[string]int `json:"m"`
		}](),
		reflect.TypeFor[endless](),
	} {
		if got, err := SchemaOf(typ); err == nil {
			t.Errorf("%s has the schema %s", typ, got)
		}
	}
}

func TestDecode(t *testing.T) {
	for _, c := range []struct {
		input string
		want  args
	}{
		{`{"path":"a"}`, args{Path: "a"}},
		{`{"path":"a","limit":"10","ratio":"0.5","all":"true"}`, args{Path: "a", Limit: 10, Ratio: .5, All: true}},
		{`{"path":"a","limit":10.0,"ratio":1}`, args{Path: "a", Limit: 10, Ratio: 1}},
		{`{"path":"a","limit":null,"names":null}`, args{Path: "a"}},
		{`{"path":"a","names":"one"}`, args{Path: "a", Names: []string{"one"}}},
		{`{"path":"a","names":"[\"one\",\"two\"]"}`, args{Path: "a", Names: []string{"one", "two"}}},
		{`{"path":"a","names":"17"}`, args{Path: "a", Names: []string{"17"}}},
		{`{"path":"a","names":["17","[1]"]}`, args{Path: "a", Names: []string{"17", "[1]"}}},
		{`{"path":"a","places":{"line":3}}`, args{Path: "a", Places: []place{{Line: 3}}}},
		{`{"path":"a","places":"{\"line\":3}"}`, args{Path: "a", Places: []place{{Line: 3}}}},
		{`{"path":"a","places":"[{\"line\":\"3\"}]"}`, args{Path: "a", Places: []place{{Line: 3}}}},
		{`{"path":"17"}`, args{Path: "17"}},
		{`{"path":"{\"x\":1}"}`, args{Path: `{"x":1}`}},
		{`{"path":"a","mode":"slow"}`, args{Path: "a", Mode: "slow"}},
		{`{"old":"x"}`, args{Old: "x"}}, // the hidden spelling stands in for the required one
		{" {\"path\":\"a\"}\n", args{Path: "a"}},
	} {
		var got args
		if err := Decode(Call{Name: "t", Input: c.input}, &got); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v", c.input, got, err)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, c := range []struct{ input, want string }{
		{``, `"path" is missing`},
		{`{}`, `"path" is missing`},
		{`{"path":null}`, `"path" is missing`},
		{`{"path":"a","limt":3}`, `there is no "limt" (did you mean "limit"?); there are: path, limit`},
		{`{"path":"a","Path":"b"}`, `there is no "Path" (did you mean "path"?)`},
		{`{"path":"a","zzz":3}`, `there is no "zzz"; there are: path, limit`},
		{`{"path":5}`, `path must be a string, got 5`},
		{`{"path":["a"]}`, `path must be a string, got ["a"]`},
		{`{"path":"a","limit":"ten"}`, `limit must be an integer, got "ten"`},
		{`{"path":"a","limit":1.5}`, `limit is 1.5, must be a whole number`},
		{`{"path":"a","limit":99999999999999999999}`, `must be a whole number`},
		{`{"path":"a","limit":1e400}`, `must be a whole number`},
		{`{"path":"a","all":1}`, `all must be a boolean, got 1`},
		{`{"path":"a","names":5}`, `names must be an array, got 5`},
		{`{"path":"a","names":["x",5]}`, `names[1] must be a string, got 5`},
		{`{"path":"a","places":[{"line":1},{"lime":2}]}`, `there is no "places[1].lime" (did you mean "line"?)`},
		{`{"path":"a","places":[{"why":"x"}]}`, `"places[0].line" is missing`},
		{`{"path":"a","mode":"quick"}`, `mode is "quick", must be one of fast, slow`},
		{`{"path":"a","limit":1`, `cut off after 21 bytes`},
		{`{"path":"a`, `cut off after 10 bytes`},
		{`{"path":"a"} {"path":"b"}`, `send one JSON object`},
		{`[1]`, `the input must be an object, got [1]`},
		{`{path:1}`, `not valid JSON`},
	} {
		var got args
		err := Decode(Call{Name: "t", Input: c.input}, &got)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.input, err, c.want)
			continue
		}
		if !strings.HasPrefix(err.Error(), "t: ") {
			t.Errorf("%s: the error does not name the tool: %v", c.input, err)
		}
	}
}

func TestFunc(t *testing.T) {
	tool := Func("t", "does", func(_ context.Context, call Call, in args) (*Invocation, error) {
		return &Invocation{Effect: Effect{Title: call.ID + " " + in.Path}}, nil
	})
	if s := tool.Spec(); s.Name != "t" || s.Description != "does" || !strings.Contains(string(s.Schema), `"path"`) {
		t.Errorf("%+v", s)
	}
	inv, err := tool.Prepare(t.Context(), Call{ID: "7", Name: "t", Input: `{"path":"a"}`})
	if err != nil || inv.Effect.Title != "7 a" {
		t.Errorf("%+v, %v", inv, err)
	}
	if _, err := tool.Prepare(t.Context(), Call{Name: "t", Input: `{"path":`}); err == nil {
		t.Error("half a call was prepared")
	}
	defer func() {
		if recover() == nil {
			t.Error("a type without a schema was accepted")
		}
	}()
	Func("bad", "", func(context.Context, Call, map[string]any) (*Invocation, error) { return nil, nil })
}

func TestNearest(t *testing.T) {
	known := []string{"read_file", "write_file", "list_dir", "run_bash", "grep", "glob"}
	for word, want := range map[string]string{
		"readFile": "read_file", "read": "read_file", "raed_file": "read_file", "bash": "run_bash", "listdir": "list_dir",
		"gerp": "grep", "GLOB": "glob", "fetch_url": "", "x": "",
	} {
		if got := strings.Join(Nearest(word, known, 1), ""); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
	if got := Nearest("file", known, 5); len(got) != 2 {
		t.Errorf("file: %v", got)
	}
	if got := Nearest("x", nil, 3); got != nil {
		t.Errorf("of nothing: %v", got)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(`{"path":"a","limit":"1","places":"[{\"line\":1}]"}`)
	f.Add(`{"path":`)
	f.Fuzz(func(t *testing.T, input string) {
		var got args
		if err := Decode(Call{Name: "t", Input: input}, &got); err == nil && !json.Valid([]byte(input)) && strings.TrimSpace(input) != "" {
			t.Errorf("%q is not JSON and was taken", input)
		}
	})
}
