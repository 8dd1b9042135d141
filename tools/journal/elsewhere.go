package journal

import "slices"

// A conversation may go on in another folder. What it changed before can still be taken
// back and shown; nothing that happens there any more is its doing.

// Past names the folders the conversation was worked on in before, absolute and canonical:
// they are not looked at, and what was changed in them can be taken back.
func (j *Journal) Past(roots ...string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, root := range roots {
		if !slices.ContainsFunc(j.past, func(t *tree) bool { return t.root == root }) {
			j.past = append(j.past, j.tree(root))
		}
	}
}

// Inherit goes on with what another journal of this process holds, which forgets it: its
// conversation is this one's from now on. Their Dir is the same.
func (j *Journal) Inherit(from *Journal) {
	from.mu.Lock()
	b, scratch, run := from.book, from.scratch, from.run
	from.book, from.scratch = &book{}, ""
	from.mu.Unlock()
	j.mu.Lock()
	defer j.mu.Unlock()
	j.take(b)
	j.scratch, j.run = scratch, run
}
