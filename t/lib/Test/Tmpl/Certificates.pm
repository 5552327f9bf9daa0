# SPDX-License-Identifier: Apache-2.0
package Test::Tmpl::Certificates;

# Certificates for tests, made by openssl in a directory of their own.

use strict;
use warnings;

use Test::Tmpl::Process qw(temp_dir spit);

# A CA. Its certificate is ca.pem.
sub new {
    my ($class) = @_;
    my $self = bless { dir => temp_dir() }, $class;
    $self->openssl(qw(req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=ca -keyout ca.key -out ca.pem));
    return $self;
}

sub openssl {
    my ($self, @arguments) = @_;
    my $pid = fork() // die "fork: $!";
    if ($pid == 0) {
        chdir $self->{dir} and open STDOUT, '>>', 'log' and open STDERR, '>&', \*STDOUT and exec 'openssl', @arguments;
        POSIX::_exit(127);
    }
    waitpid $pid, 0;
    die "openssl @arguments\n", Test::Tmpl::Process::slurp("$self->{dir}/log") if $?;
    return;
}

# Makes and signs NAME.pem, with its key NAME.key, for subject alternative names such as
# "IP:127.0.0.1". Everybody may read both files. With 0 days the certificate ends in the second in which
# it is made, so it has expired.
sub sign {
    my ($self, $name, $names, $days) = @_;
    $self->openssl(qw(req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj), "/CN=$name", '-keyout', "$name.key", '-out', "$name.csr");
    spit("$self->{dir}/$name.ext", "subjectAltName=$names\n");
    $self->openssl(qw(x509 -req -CA ca.pem -CAkey ca.key -CAcreateserial -days), $days // 2, '-extfile', "$name.ext", '-in', "$name.csr", '-out', "$name.pem");
    chmod 0644, $self->file("$name.key");
    return;
}

sub file { return "$_[0]{dir}/$_[1]" }

1;
