package session

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"forge/provider"
)

func exchange(id, sig string) []Record {
	said := provider.Message{Role: provider.Assistant, Blocks: []provider.Block{
		provider.Thinking{Text: "hm", Signature: sig}, provider.Text{Text: "a " + id}, provider.ToolUse{ID: id, Name: "read", Input: "{}"}},
		Usage: provider.Usage{Input: 10, Reported: true}}
	got := provider.Message{Role: provider.User, Blocks: []provider.Block{provider.ToolResult{ID: id, Content: []provider.Block{provider.Text{Text: "long text of " + id}}}}}
	ask := provider.UserText("q " + id)
	return []Record{{Message: &ask}, {Message: &said}, {Message: &got}}
}

// Whatever is cut, shortened, stripped and taken back, and in whatever order, the
// history is one a server accepts; and taking all of it back leaves what was said.
func TestShorteningsCanBeTakenBack(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		var rs []Record
		var plain []Record
		stripped := false
		for i := range 3 + r.IntN(12) {
			e := exchange(fmt.Sprint("c", i), []string{"", "sealed"}[r.IntN(2)])
			rs, plain = append(rs, e...), append(plain, e...)
			ms := Messages(rs)
			switch r.IntN(6) {
			case 0:
				rs = append(rs, Record{Cut: &Cut{Summary: "s", From: len(ms) / 3 * 3 / 2}})
				if ms = Messages(rs); Check(ms) != nil { // a cut in a bad place, which compact never makes
					rs = rs[:len(rs)-1]
				}
			case 1:
				rs = append(rs, Record{Trim: &Trim{Results: []Trimmed{{fmt.Sprint("c", r.IntN(i+1)), "short"}}}})
			case 2:
				rs = append(rs, Record{Trim: &Trim{Part: true, Results: []Trimmed{{fmt.Sprint("c", i), "short"}}}}, Record{Cut: &Cut{Summary: "s", From: len(ms) - 3}})
			case 3:
				rs = append(rs, Record{Undo: &Undo{}})
			case 4:
				stripped = true
				rs = append(rs, Record{Strip: &Strip{Before: len(ms), What: StripThinking}})
			}
			if err := Check(Messages(rs)); err != nil {
				t.Fatalf("seed %d, step %d: %v", seed, i, err)
			}
		}
		for CanUndo(rs) {
			rs = append(rs, Record{Undo: &Undo{}})
		}
		got, want := Messages(rs), Messages(plain)
		if len(got) != len(want) {
			t.Fatalf("seed %d: %d messages came back of %d", seed, len(got), len(want))
		}
		for i := range got {
			a, b := got[i], want[i]
			a.Usage, b.Usage = provider.Usage{}, provider.Usage{}
			if a.PlainText() != b.PlainText() || !reflect.DeepEqual(a.ToolUses(), b.ToolUses()) || a.Role == provider.User && !reflect.DeepEqual(a, b) {
				t.Fatalf("seed %d: message %d came back as %+v, was %+v", seed, i, a, b)
			}
		}
		if rs = append(rs, Record{Undo: &Undo{}}); !stripped && len(Messages(rs)) != len(want) {
			t.Errorf("seed %d: one undo too many changed the history", seed)
		}
	}
}

// Reasoning that is bound to what came before does not outlive a change of it.
func TestTrimDropsBoundReasoning(t *testing.T) {
	rs := append(exchange("a", "sealed"), exchange("b", "")...)
	rs = append(rs, Record{Trim: &Trim{Results: []Trimmed{{"a", "short"}}}})
	ms := Messages(rs)
	if got := ms[2].Blocks[0].(provider.ToolResult).Content; !reflect.DeepEqual(got, []provider.Block{provider.Text{Text: "short"}}) {
		t.Errorf("the result is %+v", got)
	}
	if len(ms[1].Blocks) != 2 || len(ms[4].Blocks) != 3 || ms[1].Usage.Reported {
		t.Errorf("the answers are %+v and %+v", ms[1], ms[4])
	}
	if was := rs[2].Message.Blocks[0].(provider.ToolResult).Content[0].(provider.Text).Text; was != "long text of a" {
		t.Errorf("the record itself was changed to %q", was)
	}
}

func TestShorteningsAreStored(t *testing.T) {
	s, err := Create(t.TempDir(), "/w", "")
	if err != nil {
		t.Fatal(err)
	}
	want := append(exchange("a", "x"), Record{Trim: &Trim{Results: []Trimmed{{"a", "short"}}, Part: true, Before: 9, After: 3}},
		Record{Cut: &Cut{Summary: "s", From: 3, Own: "it would not"}}, Record{Undo: &Undo{Before: 3, After: 9}})
	last := 0
	for _, r := range want {
		if last, err = s.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	if !s.Saved() {
		t.Error("it is not saved")
	}
	rs, err := Records(s.Path(), last-1)
	if err != nil || len(rs) != len(want)-1 {
		t.Fatalf("%d records, %v", len(rs), err)
	}
	for i, r := range rs[3:] {
		if !reflect.DeepEqual(r.Trim, want[3+i].Trim) || !reflect.DeepEqual(r.Cut, want[3+i].Cut) {
			t.Errorf("record %d is %+v", i, r)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
