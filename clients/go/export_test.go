package backstep

import "time"

// SetDeaf sets how long an action may go on after its context has ended with the grace.
func SetDeaf(w *Worker, d time.Duration) { w.deaf = d }
