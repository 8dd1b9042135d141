package agent

import (
	"encoding/base64"
	"fmt"
	"strings"

	"forge/agent/mark"
)

// pictured finds the pictures a prompt's words stand for. What it returns tells the
// person of those that do not go along, after the prompt.
func (r *run) pictured(p Prompt) (Prompt, func()) {
	var notes []string
	if r.o.Pictures != nil && !p.Quoted {
		p.Text = mark.Number(p.Text)
		found, gone := r.o.Pictures(p.Text)
		p.Images = append(p.Images, found...)
		for _, err := range gone {
			notes = append(notes, "a picture was not sent: "+err.Error())
		}
	}
	if r.o.Model.Blind && len(p.Images) > 0 {
		notes = append(notes, r.o.Model.ID+" cannot see pictures: it is told that there is one, and not what it shows; /model changes the model")
	}
	return p, func() {
		for _, n := range notes {
			r.emit(Notice{n})
		}
	}
}

// unseen takes the pictures out of a result for a model that is known not to see: it is
// told that there are some, and in which files a program may look at them. A picture
// that came of a file is in that.
func (r *run) unseen(j *job) {
	if !r.o.Model.Blind || len(j.result.Images) == 0 {
		return
	}
	var b strings.Builder
	for i, img := range j.result.Images {
		data, err := base64.StdEncoding.DecodeString(img.Data)
		if err != nil || len(data) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n[a picture (%s, %d bytes), which this model cannot see", clean(img.MIME), len(data))
		if len(j.inv.Effect.Paths) == 0 {
			kind, ok := strings.CutPrefix(img.MIME, "image/")
			if !ok {
				kind = "bin"
			}
			if path, err := r.o.Exec.Bound.KeepAs(fmt.Sprintf("%s-%d", j.call.ID, i+1), kind, data); err == nil && path != "" {
				b.WriteString("; it is in " + path)
			}
		}
		b.WriteString("]")
	}
	j.result.Images, j.result.Text = nil, strings.TrimPrefix(j.result.Text+b.String(), "\n")
}
