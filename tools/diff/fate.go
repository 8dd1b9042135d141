package diff

// Fate is what became of a proposal to change a text after somebody looked through
// it. Hunks counts those proposed; each is one of Landed (as it was proposed),
// Refused (nothing of it) or Changed (in other words).
type Fate struct {
	Hunks, Landed, Refused, Changed int
	// Missing is what was refused, as hunks from what landed to what would have.
	Missing []Hunk
	// Own is what the reviewer wrote in place of the proposal, or beside it, as
	// hunks from the proposal to what landed.
	Own []Hunk
}

// Compare tells what of the proposal to turn before into proposed landed. It is
// read from the texts alone: a hunk that was dropped and typed in again landed. Where a
// hunk landed in part as it was proposed, the changes in hunks are what is counted.
func Compare(before, proposed, landed []byte) Fate {
	hunks := Hunks(before, proposed)
	kept, ok := Kept(before, hunks, landed)
	if !ok {
		if finer := parts(hunks); len(finer) > len(hunks) {
			if kept, ok = Kept(before, finer, landed); ok {
				hunks = finer
			}
		}
	}
	f := Fate{Hunks: len(hunks)}
	if ok {
		for _, k := range kept {
			if k {
				f.Landed++
			} else {
				f.Refused++
			}
		}
		f.Missing = Hunks(landed, proposed)
		return f
	}
	// The reviewer wrote something of their own. Where the changes of both touch they
	// are one place; each proposed hunk goes by its place.
	b := split(string(before))
	prop := &side{lines: split(string(proposed))}
	for _, h := range hunks {
		prop.diffs = append(prop.diffs, h.at)
	}
	land := &side{lines: split(string(landed))}
	land.diffs = lines(b, land.lines)
	var full, same []byte // what landed with what was refused put back; with the reviewer's own taken out
	at := 0
	put := func(lines []string) {
		for _, l := range lines {
			full, same = append(full, l...), append(same, l...)
		}
	}
	for {
		start, end, ok := prop.group(land)
		if !ok {
			break
		}
		put(b[at:start])
		at = end
		was := join(b[start:end])
		x, y := prop.text(b, start, end), land.text(b, start, end)
		n := prop.next - prop.from
		switch {
		case x == y:
			f.Landed += n
			full, same = append(full, y...), append(same, y...)
		case y == was:
			f.Refused += n
			full, same = append(full, x...), append(same, y...)
		default:
			f.Changed += n
			full, same = append(full, y...), append(same, x...)
		}
	}
	put(b[at:])
	f.Missing, f.Own = Hunks(landed, full), Hunks(same, landed)
	return f
}
