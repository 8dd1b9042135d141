package provider

// Add returns the tokens and money of two calls together. Context stays 0: the
// contexts of two calls do not add up.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input: u.Input + v.Input, Output: u.Output + v.Output,
		CacheRead: u.CacheRead + v.CacheRead, CacheWrite: u.CacheWrite + v.CacheWrite,
		Reasoning: u.Reasoning + v.Reasoning, Cost: u.Cost + v.Cost,
		Reported: u.Reported || v.Reported,
	}
}
