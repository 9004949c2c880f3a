package backstep

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Dialect is the language of a database.
type Dialect string

// The dialects that a Barrier speaks.
const (
	SQLite   Dialect = "sqlite"
	MySQL    Dialect = "mysql" // and MariaDB
	Postgres Dialect = "postgres"
)

func (b *Barrier) schema() []string {
	switch b.dialect {
	case MySQL:
		return []string{`CREATE TABLE IF NOT EXISTS ` + b.table + ` (
  id CHAR(64) CHARACTER SET ascii NOT NULL PRIMARY KEY,
  task_id TEXT NOT NULL,
  run TEXT NOT NULL,
  token BIGINT NOT NULL,
  state VARCHAR(8) CHARACTER SET ascii NOT NULL,
  output MEDIUMTEXT,
  touched_at BIGINT NOT NULL,
  KEY barrier_touched (touched_at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4`}
	default:
		index := strings.ReplaceAll(b.table, ".", "_") + "_touched"
		return []string{`CREATE TABLE IF NOT EXISTS ` + b.table + ` (
  task_id TEXT NOT NULL,
  run TEXT NOT NULL,
  token BIGINT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'applied', 'undoing', 'undone')),
  output TEXT,
  touched_at BIGINT NOT NULL,
  PRIMARY KEY (task_id, run)
)`, `CREATE INDEX IF NOT EXISTS ` + index + ` ON ` + b.table + ` (touched_at)`}
	}
}

// identity is what a new mark says of its run; key is what it is found by.
func (b *Barrier) identity(s Step) []any {
	if b.dialect == MySQL {
		return []any{markID(s), s.TaskID, s.Run}
	}
	return []any{s.TaskID, s.Run}
}

func (b *Barrier) key(s Step) []any {
	if b.dialect == MySQL {
		return []any{markID(s)}
	}
	return []any{s.TaskID, s.Run}
}

func (b *Barrier) where() string {
	if b.dialect == MySQL {
		return " WHERE id = ?"
	}
	return " WHERE task_id = ? AND run = ?"
}

func (b *Barrier) insertMark() string {
	columns := "(task_id, run, token, state, output, touched_at) VALUES (?, ?, ?, ?, ?, ?)"
	if b.dialect == MySQL {
		columns = "(id, task_id, run, token, state, output, touched_at) VALUES (?, ?, ?, ?, ?, ?, ?)"
		// INSERT IGNORE would take a shared lock of a mark, and two that raise theirs block each other.
		return "INSERT INTO " + b.table + " " + columns + " ON DUPLICATE KEY UPDATE token = token"
	}
	return b.bound("INSERT INTO " + b.table + " " + columns + " ON CONFLICT DO NOTHING")
}

func (b *Barrier) selectMark() string {
	query := "SELECT token, state, output FROM " + b.table + b.where()
	if b.dialect != SQLite {
		query += " FOR UPDATE"
	}
	return b.bound(query)
}

func (b *Barrier) updateMark() string {
	return b.bound("UPDATE " + b.table + " SET token = CASE WHEN token > ? THEN token ELSE ? END, " +
		"state = ?, output = COALESCE(?, output), touched_at = ?" + b.where())
}

func (b *Barrier) raiseToken() string {
	return b.bound("UPDATE " + b.table + " SET token = ?" + b.where())
}

// bound writes the marks of parameters as the dialect has them.
func (b *Barrier) bound(query string) string {
	if b.dialect != Postgres {
		return query
	}
	var text strings.Builder
	number := 0
	for _, char := range query {
		if char != '?' {
			text.WriteRune(char)
			continue
		}
		number++
		fmt.Fprintf(&text, "$%d", number)
	}
	return text.String()
}

func dialectOf(db *sql.DB) Dialect {
	name := strings.ToLower(fmt.Sprintf("%T", db.Driver()))
	switch {
	case strings.Contains(name, "sqlite"):
		return SQLite
	case strings.Contains(name, "mysql"):
		return MySQL
	case strings.Contains(name, "pq."), strings.Contains(name, "stdlib."), strings.Contains(name, "pgx"):
		return Postgres
	default:
		return ""
	}
}

// markID is the key of a mark in MySQL, where ids may be longer than a key: the hash of the JSON
// list of both ids, written as JSON.stringify of JavaScript writes it.
func markID(s Step) string {
	hash := sha256.Sum256([]byte("[" + quote(s.TaskID) + "," + quote(s.Run) + "]"))
	return hex.EncodeToString(hash[:])
}

func quote(text string) string {
	var quoted strings.Builder
	quoted.WriteByte('"')
	for _, char := range text {
		switch short := strings.IndexRune("\"\\\b\f\n\r\t", char); {
		case short >= 0:
			quoted.WriteString(`\` + string(`"\bfnrt`[short]))
		case char < ' ':
			fmt.Fprintf(&quoted, `\u%04x`, char)
		default:
			quoted.WriteString(string(utf8.AppendRune(nil, char)))
		}
	}
	quoted.WriteByte('"')
	return quoted.String()
}
