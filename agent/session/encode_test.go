package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"forge/provider"
)

// plainEncode writes a record by encoding/json's own walk over line.
func plainEncode(r Record) ([]byte, error) {
	l := line{Type: r.kind()}
	to := reflect.ValueOf(&l).Elem()
	from := reflect.ValueOf(r)
	for i := range from.NumField() {
		if name := from.Type().Field(i).Name; name != "Early" {
			to.FieldByName(name).Set(from.Field(i))
		}
	}
	if r.Early != nil {
		l.Message = r.Early
	}
	if l.Type == "" {
		return nil, errors.New("the record is empty")
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(l)
	return b.Bytes(), err
}

// words are what texts are made of here: what JSON, HTML and UTF-8 have to say about
// characters is all there.
var words = []string{"", "a", "two words", "<b>&", "\"\\", "\n\r\t\b\f\x00\x7f", "漢字", "\xff\xfe", "\u2028\u2029", "😀", "\ufffd", `{"path":"x"}`}

// fill sets everything in v to something: the pieces in a record of any kind.
func fill(r *rand.Rand, v reflect.Value) {
	word := func() string { return words[r.IntN(len(words))] + words[r.IntN(len(words))] }
	if m, ok := v.Addr().Interface().(*provider.Message); ok {
		*m = provider.Message{Role: provider.User, Origin: word(), Stop: provider.StopToolUse, Usage: provider.Usage{Input: r.IntN(2), Cost: r.Float64()}}
		m.Blocks = []provider.Block{text(word()), provider.Thinking{Text: word(), Signature: word(), Field: word(), Extra: word()},
			provider.ToolUse{ID: word(), WireID: word(), Name: word(), Input: word(), Extra: word()},
			provider.ToolResult{ID: word(), Content: []provider.Block{text(word()), provider.Image{MIME: word(), Data: word()}}, IsError: r.IntN(2) == 0},
			provider.Opaque{Origin: word(), JSON: word()}}[:r.IntN(6)]
		return
	}
	if at, ok := v.Addr().Interface().(*time.Time); ok {
		*at = time.Unix(r.Int64N(4e9), r.Int64N(2)*r.Int64N(1e9)).UTC()
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(word())
	case reflect.Int, reflect.Int64:
		v.SetInt(r.Int64N(3) * r.Int64N(1e12))
	case reflect.Uint32:
		v.SetUint(r.Uint64N(2) * 0o644)
	case reflect.Float64:
		v.SetFloat([]float64{0, 0.25, 1e-9, 3e22}[r.IntN(4)])
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Pointer:
		if r.IntN(4) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(r, v.Elem())
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), r.IntN(3), 4))
		for i := range v.Len() {
			fill(r, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(r, v.Field(i))
		}
	default:
		panic("a record holds a " + v.Kind().String())
	}
}

// ofEachKind gives records, one of each kind there is at least.
func ofEachKind(r *rand.Rand) (rs []Record) {
	t := reflect.TypeFor[Record]()
	for i := range t.NumField() {
		one := Record{Seq: i, Time: time.Date(2026, 11, 30, 1, 2, 3, i*1000, time.UTC)}
		if f := reflect.ValueOf(&one).Elem().Field(i); f.Kind() == reflect.Pointer {
			f.Set(reflect.New(f.Type().Elem()))
			fill(r, f.Elem())
		} else {
			fill(r, f)
		}
		if one.Message != nil || one.Early != nil {
			fill(r, reflect.ValueOf(&one.Calls).Elem())
		}
		if one.Message != nil {
			for _, f := range []any{&one.Line, &one.Cost, &one.Steer, &one.Shell, &one.Note, &one.Torn} {
				fill(r, reflect.ValueOf(f).Elem())
			}
		}
		if one.kind() != "" {
			rs = append(rs, one)
		}
	}
	return rs
}

// TestEncodedAsPlainly: a record of any kind is the line encoding/json would make of
// it, byte for byte.
func TestEncodedAsPlainly(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	kinds := map[string]bool{}
	for range 400 {
		for _, one := range ofEachKind(r) {
			kinds[one.kind()] = true
			want, err := plainEncode(one)
			if err != nil {
				t.Fatal(err)
			}
			got, err := encode(one)
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%s: %v\ngot  %s\nwant %s", one.kind(), err, got, want)
			}
		}
	}
	t2 := reflect.TypeFor[Record]()
	beside := map[string]bool{"Seq": true, "Time": true, "Line": true, "Calls": true, "Cost": true, "Steer": true, "Shell": true, "Note": true, "Torn": true}
	if want := t2.NumField() - len(beside); len(kinds) != want {
		t.Errorf("%d kinds were made, want %d: %v", len(kinds), want, kinds)
	}
}

// TestLinesStayAsTheyWere: lines of an earlier forge, one of each kind at least, are
// read and written again as they are.
func TestLinesStayAsTheyWere(t *testing.T) {
	lines, err := os.ReadFile(filepath.Join("testdata", "lines.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for l := range bytes.Lines(lines) {
		r, err := decode(l)
		if err != nil {
			t.Fatalf("%v\n%s", err, l)
		}
		if got, err := encode(r); err != nil || !bytes.Equal(got, l) {
			t.Errorf("%v\ngot  %s\nwant %s", err, got, l)
		}
	}
}

// TestWhatHasNoLine: what cannot be told in a line says so.
func TestWhatHasNoLine(t *testing.T) {
	inf := 1e308
	inf *= 10
	for name, r := range map[string]Record{
		"empty":       {Seq: 1},
		"no number":   {Title: "a", Cost: &inf},
		"no year":     {Title: "a", Time: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)},
		"no block":    {Message: &provider.Message{Role: provider.User, Blocks: []provider.Block{nil}}},
		"no child":    {Message: user(text("a")), Calls: []Call{{Child: &Child{Cost: inf}}}},
		"far too big": {Title: strings.Repeat("a", maxLine)},
	} {
		if b, err := encode(r); err == nil {
			t.Errorf("%s: %.80s", name, b)
		}
	}
}
