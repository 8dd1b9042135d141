package dialog

import "forge/ui/theme"

// SetTheme changes the looks of every dialog that is open: a terminal may tell its
// background, and a person may change it, while a question stands.
func (s *Stack) SetTheme(t *theme.Theme) {
	for _, d := range s.dialogs {
		if d, ok := d.(interface{ SetTheme(*theme.Theme) }); ok {
			d.SetTheme(t)
		}
	}
}

// SetTheme changes the looks of a permission question and of its review.
func (d *Ask) SetTheme(t *theme.Theme) {
	d.theme = t
	d.comment.SetStyles(filterStyles(t))
	if r := d.review; r != nil {
		r.theme = t
		for i := range r.files {
			r.files[i].view = nil // it is laid out in the old colours
		}
	}
}

// SetTheme changes the looks of a question and of its fields.
func (d *Question) SetTheme(t *theme.Theme) {
	d.theme = t
	if d.form != nil {
		d.form.setTheme(t)
	}
}

func (d *form) setTheme(t *theme.Theme) {
	d.theme = t
	for i := range d.fields {
		if c := d.fields[i].text; c != nil {
			c.SetStyles(filterStyles(t))
		}
	}
}

// SetTheme changes the looks of a takeback.
func (d *Takeback) SetTheme(t *theme.Theme) { d.theme = t }
