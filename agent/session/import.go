package session

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/tidwall/gjson"

	"forge/swap"
)

// Damage is what could not be read of a file that was taken in.
type Damage struct {
	Lines int // they are no part of the conversation
	Times int // of records; they count as made with the one before
}

// Import copies an exported session into dir under a new ID; it belongs to the
// folder cwd from then on. A file that is no session, holds nothing, or was written
// by a newer forge is refused. Of a line that cannot be read, and of a time, it is
// counted how many there are; the line itself stays, if it is JSON.
func Import(dir, file, cwd string) (Info, Damage, error) {
	fail := func(err error) (Info, Damage, error) {
		return Info{}, Damage{}, fmt.Errorf("import %s: %w", file, err)
	}
	s, err := Create(dir, cwd, "")
	if err != nil {
		return fail(err)
	}
	var out bytes.Buffer
	var rs []Record
	var bad error
	var lost Damage
	skipped, err := Lines(file, func(line []byte, _ int64) bool {
		r, err := Parse(line)
		switch {
		case err != nil && out.Len() == 0:
			bad = err
		case err != nil:
			lost.Lines++
			out.Write(line)
		case len(rs) == 0 && out.Len() == 0 && r.Header == nil:
			bad = errors.New("not a forge session: its first line is no header")
		case r.Header != nil && r.Header.Version > Version:
			bad = fmt.Errorf("a newer forge wrote it (format %d, this one knows %d)", r.Header.Version, Version)
		case r.Header != nil && out.Len() == 0:
			s.header.Branch, s.header.From = r.Header.Branch, r.Header.ID
			header, err := encode(Record{Seq: r.Seq, Time: time.Now().UTC(), Header: &s.header})
			bad = err
			out.Write(header)
		case r.Folder != "", r.Moved != nil, r.Queue != nil, r.Loops != nil: // by another person, or on another machine: nobody here wants it
		case r.Header == nil:
			if r.kind() != "" && new(time.Time).UnmarshalJSON([]byte(gjson.GetBytes(line, "time").Raw)) != nil {
				lost.Times++
			}
			if was := r.Goal; was != nil {
				if r.Goal = rested(was); r.Goal != was {
					line, bad = encode(r)
				}
			}
			rs = append(rs, r)
			out.Write(line)
		}
		return bad == nil
	})
	switch {
	case err != nil:
		return fail(err)
	case bad != nil:
		return fail(bad)
	case out.Len() == 0: // nor anything else of a session: an export for people, maybe
		return fail(errors.New("there is no conversation in it that forge can take in"))
	case len(Messages(rs)) == 0:
		return fail(errors.New("there is no conversation in it"))
	}
	if err := Check(Messages(rs)); err != nil {
		return fail(fmt.Errorf("its history is broken: %w", err))
	}
	if err := swap.Write(s.path, out.Bytes(), 0o600, swap.Durable); err != nil {
		return fail(err)
	}
	lost.Lines += skipped
	info, err := describe(s.path)
	return info, lost, err
}

// rested is a goal as it stands where nobody set it: it does not go on by itself.
func rested(g *Goal) *Goal {
	if g == nil || g.State != GoalOpen {
		return g
	}
	return &Goal{Text: g.Text, State: GoalRests, Why: ImportedGoal}
}

// Strangers are the records of a file that is not one of this machine's conversations, less
// what only the person it is of may decide: folders that are opened or worked in, prompts and
// commands that wait to be sent, and those sent again and again. A goal that stood rests.
func Strangers(rs []Record) (out []Record) {
	for _, r := range rs {
		if r.Folder != "" || r.Moved != nil || r.Queue != nil || r.Loops != nil {
			continue
		}
		r.Goal = rested(r.Goal)
		out = append(out, r)
	}
	return out
}
