package search

import "path/filepath"

// above collects the rules of the folders over root that speak of what is in it:
// up to the root of its repository, or up to top where it is in none.
func above(root, top string, global gitConfig) ruleset {
	var chain []string // the folders over root, nearest first
	repo := ""
	for dir := root; ; {
		if isRepo(dir) {
			repo = dir
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
		chain = append(chain, dir)
	}
	if repo == "" {
		if top == "" {
			top = root
		}
		n := 0
		for n < len(chain) && within(top, chain[n]) {
			n++
		}
		chain = chain[:n]
	}
	var rs ruleset
	if repo != "" && repo != root { // root's own is read when the walk enters it
		rs.repo = newRepo(repo, global)
	}
	for i := len(chain) - 1; i >= 0; i-- {
		dir := chain[i]
		base, err := filepath.Rel(dir, root)
		if err != nil {
			continue
		}
		base = filepath.ToSlash(base) + "/"
		fold := global.fold
		if rs.repo != nil {
			fold = rs.repo.fold
		}
		l := &level{up: rs.levels, base: base}
		if data := readOwn(filepath.Join(dir, ".gitignore")); data != nil {
			l.git = parseIgnore(data, fold)
		}
		if data := readOwn(filepath.Join(dir, ".ignore")); data != nil {
			l.plain = parseIgnore(data, fold)
		}
		if dir == repo && rs.repo != nil {
			rs.repo.top, rs.repo.base = l, base
		} else if l.git == nil && l.plain == nil {
			continue
		}
		rs.levels = l
	}
	return rs
}

// within says whether dir is top or lies under it.
func within(top, dir string) bool {
	rel, err := filepath.Rel(top, dir)
	return err == nil && filepath.IsLocal(rel)
}

// enter gives the rules for the entries of a folder of the walk. path is the
// folder's, relative to the walk's root ("" for the root); found are the special
// names the folder holds.
func (rs ruleset) enter(w *walker, d *dir, found special) ruleset {
	if found&(hasGit|hasGitignore|hasIgnore) == 0 {
		return rs
	}
	depth := len(d.path)
	if depth > 0 {
		depth++
	}
	l := &level{up: rs.levels, depth: depth}
	if found&hasGit != 0 {
		repo := newRepo(filepath.Join(w.Root, filepath.FromSlash(d.path)), w.global)
		repo.top, repo.depth = l, depth
		rs.repo = repo
	}
	fold := w.global.fold
	if rs.repo != nil {
		fold = rs.repo.fold
	}
	if found&hasGitignore != 0 {
		l.git = parseIgnore(d.small(".gitignore"), fold)
	}
	if found&hasIgnore != 0 {
		l.plain = parseIgnore(d.small(".ignore"), fold)
	}
	rs.levels = l
	return rs
}
