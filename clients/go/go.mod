module backstep.example/clients/go

go 1.23
