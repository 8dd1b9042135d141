package ui

import (
	"strings"
	"sync"
	"testing"
	"time"

	"forge/tools/permission"
)

// drafts keeps what was saved last.
type drafts struct {
	mu   sync.Mutex
	text string
}

func (d *drafts) save(s string) { d.mu.Lock(); d.text = s; d.mu.Unlock() }

func (d *drafts) last() string { d.mu.Lock(); defer d.mu.Unlock(); return d.text }

// Who writes on and on loses no more than a moment of it.
func TestDraftIsSavedWithoutAPause(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var d drafts
		o := testOptions(&fakeAgent{})
		o.SaveDraft = d.save
		s := start(t, o, 80, 24)
		typed := ""
		began := time.Now()
		for range 30 {
			s.send("ab ") // which takes less than a rest
			typed += "ab "
		}
		a := time.Since(began) / 30 // for three letters
		if got := d.last(); len(typed)-len(got) > 3*int((draftRests+draftWaits)/a+1) || !strings.HasPrefix(typed, got) {
			t.Errorf("%d letters were typed, %d saved", len(typed), len(got))
		}
		s.send("\x03\x03")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// Words to the model in a question are a draft until they are sent: saved as such,
// and not taken away with a question that is withdrawn.
func TestWordsInAQuestionAreADraft(t *testing.T) {
	asking := func(t *testing.T) (*screen, *drafts, *permission.Answer) {
		var d drafts
		var allowed permission.Answer
		o := testOptions(nil)
		a := &fakeAgent{}
		a.script = session(o.Feed, &allowed)
		o.Agent = a
		o.SaveDraft = d.save
		s := start(t, o, 80, 24)
		s.send("go\r")
		time.Sleep(8 * time.Second)
		s.send("half a thought")
		time.Sleep(time.Second)
		s.send("\t")
		s.see("no, and tell the model")
		s.send("not here, 你好")
		time.Sleep(time.Second)
		if got := d.last(); got != "half a thought\nnot here, 你好" {
			t.Errorf("saved %q", got)
		}
		return s, &d, &allowed
	}
	t.Run("sent", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s, d, allowed := asking(t)
			s.send("\r")
			time.Sleep(time.Second)
			if got := d.last(); got != "half a thought" || allowed.Reason != "not here, 你好" {
				t.Errorf("saved %q, told %q", got, allowed.Reason)
			}
			s.send("\x03\x03")
			if err := s.wait(); err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("withdrawn", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s, d, _ := asking(t)
			s.send("\x03") // interrupts the run
			time.Sleep(time.Second)
			s.see("› not here, 你好")
			if got := d.last(); got != "not here, 你好\nhalf a thought" {
				t.Errorf("saved %q", got)
			}
			s.send("\x03\x03")
			if err := s.wait(); err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("left", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s, d, _ := asking(t)
			s.stop()
			_ = s.wait() // the context's own error
			if got := d.last(); !strings.Contains(got, "not here, 你好") || !strings.Contains(got, "half a thought") {
				t.Errorf("saved %q", got)
			}
		})
	})
}
