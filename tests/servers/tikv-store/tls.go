package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/grpc/credentials"
)

// An authority vouches for certificates.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// MakeCertificates writes what the store and its clients need into a folder: ca.pem with which they know each other, a
// certificate and key of each (store, client), and other-ca.pem, which vouches for nobody here. It gives the store's.
func makeCertificates(folder, host string) (credentials.TransportCredentials, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	ca, err := newAuthority(filepath.Join(folder, "ca.pem"))
	if err != nil {
		return nil, err
	}
	if _, err := newAuthority(filepath.Join(folder, "other-ca.pem")); err != nil {
		return nil, err
	}
	for _, name := range []string{"store", "client"} {
		if err := ca.issue(folder, name, host); err != nil {
			return nil, err
		}
	}
	own, err := tls.LoadX509KeyPair(filepath.Join(folder, "store.pem"), filepath.Join(folder, "store-key.pem"))
	if err != nil {
		return nil, err
	}
	known := x509.NewCertPool()
	known.AddCert(ca.certificate)
	return credentials.NewTLS(&tls.Config{
		Certificates: []tls.Certificate{own},
		ClientAuth:   tls.RequireAndVerifyClientCert,
		ClientCAs:    known,
		MinVersion:   tls.VersionTLS12,
	}), nil
}

func newAuthority(file string) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := certificate("authority of a development store")
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	made, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &authority{made, key}, writePem(file, "CERTIFICATE", der)
}

// Issue makes NAME.pem and NAME-key.pem.
func (a *authority) issue(folder, name, host string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := certificate(name)
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	template.IPAddresses, template.DNSNames = []net.IP{net.ParseIP(host)}, []string{"localhost"}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &key.PublicKey, a.key)
	if err != nil {
		return err
	}
	if err := writePem(filepath.Join(folder, name+".pem"), "CERTIFICATE", der); err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return writePem(filepath.Join(folder, name+"-key.pem"), "PRIVATE KEY", secret)
}

// Certificate is one that is good for a day from now on.
func certificate(name string) *x509.Certificate {
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.Add(24 * time.Hour),
	}
}

func writePem(file, kind string, der []byte) error {
	return os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}
