// Package spell says how far apart two words are, for telling a person or a model what
// was probably meant. It owns the one count of wrong letters there is; how many of them
// make another word is for the asker to say.
package spell

// Distance counts the letters (code points) to insert, drop, replace or swap with their
// neighbour between a and b. Long words are as far apart as they are long: nobody
// mistypes one into another.
func Distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) > 64 || len(y) > 64 {
		return max(len(x), len(y))
	}
	var before, last []int
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		before, last, row = last, row, make([]int, len(y)+1)
		row[0] = i + 1
		for j := range y {
			same := 1
			if x[i] == y[j] {
				same = 0
			}
			row[j+1] = min(last[j]+same, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(y)]
}
