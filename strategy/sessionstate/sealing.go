package sessionstate

// Sealing reports whether what is stored of conversations is encrypted, so that none of it may go where
// nothing can be encrypted. It is also true if the settings cannot be understood.
func (s *Env) Sealing() bool {
	on, err := s.Repo.Vault.On()
	return on || err != nil
}
