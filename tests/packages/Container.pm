# SPDX-License-Identifier: Apache-2.0
package Container;

# A container of the image that a test runs, in the network of this host, with a read-only root. Podman runs
# it, or chroot in namespaces of their own, with what the image says of environment, user and entry.

use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use JSON::PP qw(decode_json);
use Test::Tmpl::Client;
use Test::Tmpl::Process qw(spawn alive children wait_for free_port temp_dir slurp spit give_to_server);

my $image = $ENV{IMAGE} // 'mod_tmpl';
my $kind;
my $owner = $$;
my %named;      # containers of podman that may run
my $mounted;    # the container of buildah whose root is mounted

# A service may not raise limits, so podman must not: these are within every limit.
my $files = POSIX::sysconf(POSIX::_SC_OPEN_MAX());
my @podman = (qw(podman run --rm --no-healthcheck --read-only --network host --cap-drop ALL),
    "--ulimit=nofile=$files:$files", '--ulimit=nproc=4096:4096');

# What runs containers here: podman, chroot, or nothing, then $@ has the reason.
sub runner {
    my $wanted = $ENV{TMPL_TEST_RUNNER} // '';
    if ($wanted ne 'chroot') {
        $@ = qx(@podman --entrypoint true $image 2>&1);
        return $kind = 'podman' if $? == 0;
        return if $wanted eq 'podman';
    }
    my $root = abs_path(dirname(__FILE__)) . '/root';
    $@ = qx($root able 2>&1);
    return $? == 0 ? $kind = 'chroot' : undef;
}

# What podman says when it publishes a port, as in README.md: netavark runs iptables or nft for that.
sub published {
    my $port = free_port();
    my @bridged = map { $_ eq 'host' ? 'bridge' : $_ } @podman;
    return qx(@bridged -p 127.0.0.1:$port:8080 --entrypoint true $image 2>&1);
}

# env => { } of the container; store => a folder of the host, its volume; files => { name => text } of
# /etc/mod_tmpl. PORT and STATUS are free ports unless env has them.
sub new {
    my ($class, %args) = @_;
    my $dir = temp_dir();
    my ($port, $status) = (free_port(), free_port());
    my $self = bless { dir => $dir, port => $port, name => "tmpl-test-$port",
        env => { PORT => $port, STATUS => "127.0.0.1:$status", %{ $args{env} } } }, $class;
    mkdir "$dir/conf" or die "$dir/conf: $!";
    my $files = $args{files} // {};
    spit("$dir/conf/$_", $files->{$_}) for keys %$files;
    # httpd opens these files by name
    give_to_server(spit("$dir/$_", '')) for qw(out err);
    my @command = $kind eq 'podman' ? $self->podman($args{store}) : $self->chroot($args{store});
    $self->{pid} = spawn("container $self->{name}", sub {
        open STDIN, '<', '/dev/null';
        open STDOUT, '>>', "$dir/out";
        open STDERR, '>>', "$dir/err";
        exec @command or die "$command[0]: $!";
    });
    return $self;
}

sub podman {
    my ($self, $store) = @_;
    $named{ $self->{name} } = 1;
    return (@podman, '--name', $self->{name}, '-v', "$store:/var/lib/apache2/tmpl", '-v', "$self->{dir}/conf:/etc/mod_tmpl:ro",
        (map { ('-e', "$_=$self->{env}{$_}") } sort keys %{ $self->{env} }), $image);
}

# The image's root, mounted, and its configuration.
my ($root, $config);

sub mount_image {
    return if $mounted;
    chomp($mounted = qx(buildah from --pull-never $image));
    chomp($root = qx(buildah mount $mounted));
    $config = decode_json(scalar qx(buildah inspect --type image $image))->{OCIv1}{config};
    return;
}

sub environment {
    my ($self) = @_;
    return (@{ $config->{Env} }, map { "$_=$self->{env}{$_}" } sort keys %{ $self->{env} });
}

my $ENTER = <<'END';
root=$1 store=$2 conf=$3
shift 3
cat /etc/hosts >"$root/etc/hosts"
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/tmp"
mount --bind "$store" "$root/var/lib/apache2/tmpl"
mount --bind "$conf" "$root/etc/mod_tmpl"
exec chroot "$@"
END

sub chroot {
    my ($self, $store) = @_;
    mount_image();
    return (qw(unshare --mount --pid --fork --kill-child sh -ec), $ENTER, 'sh', $root, "$store", "$self->{dir}/conf",
        "--userspec=$config->{User}", $root, 'env', '-i', $self->environment, @{ $config->{Entrypoint} });
}

sub out { return slurp("$_[0]{dir}/out") }
sub err { return slurp("$_[0]{dir}/err") }
sub running { return alive($_[0]{pid}) }

# The first process of the container, by its id on this host.
sub main {
    my ($self) = @_;
    return (children($self->{pid}))[0] if $kind eq 'chroot';
    return (qx(podman inspect --format '{{.State.Pid}}' $self->{name}) =~ /(\d+)/)[0];
}

sub signal {
    my ($self, $signal) = @_;
    return kill $signal, $self->main if $kind eq 'chroot';
    return system "podman kill --signal $signal $self->{name} >/dev/null";
}

# Begins a stop, as podman and docker do.
sub stop {
    my ($self) = @_;
    return $self->signal($config->{StopSignal}) if $kind eq 'chroot';
    return spawn('podman stop', sub {
        open STDOUT, '>', '/dev/null';
        exec 'podman', 'stop', $self->{name};
    });
}

# The exit status, when the container has ended.
sub status {
    my ($self) = @_;
    wait_for { !alive($self->{pid}) } or die "the container does not end:\n", $self->err;
    my $status = $? >> 8;
    delete $named{ $self->{name} };
    return $status;
}

# Runs the health check in the container: its exit status and output.
sub health {
    my ($self) = @_;
    my @command = '/usr/local/lib/mod_tmpl/health';
    if ($kind eq 'podman') {
        unshift @command, 'podman', 'exec', $self->{name};
    }
    else {
        my $pid = $self->main // return (1, 'it does not run');
        unshift @command, 'nsenter', '--mount', '--pid', "--target=$pid", 'chroot', "--userspec=$config->{User}", $root,
            'env', '-i', $self->environment;
    }
    open my $pipe, '-|', 'sh', '-c', 'exec "$@" 2>&1', 'sh', @command or die "sh: $!";
    my $said = join '', readline $pipe;
    close $pipe;
    return ($? >> 8, $said);
}

sub client {
    my ($self) = @_;
    return Test::Tmpl::Client->new(port => $self->{port});
}

sub get {
    my ($self, $target) = @_;
    return $self->client->get($target, headers => { Connection => 'close' });
}

END {
    if ($$ == $owner) {
        my $status = $?;
        system 'podman', 'rm', '--force', '--time', '0', keys %named if %named;
        system "buildah rm $mounted >/dev/null" if $mounted;
        $? = $status;
    }
}

1;
