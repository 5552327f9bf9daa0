# SPDX-License-Identifier: Apache-2.0
package Test::Tmpl::Cluster;

# A Redis Cluster of real servers on 127.0.0.1: masters that share the slots evenly, and on request a
# replica of each master.

use strict;
use warnings;

use Test::Tmpl::Process qw(wait_for free_port);
use Test::Tmpl::Redis;

my $SLOTS = 16_384;

# masters => 3; replicas => 1: a replica of each master; tls => 1: TLS only; options => { } of redis.conf
sub new {
    my ($class, %args) = @_;
    my $masters = $args{masters} // 3;
    my @nodes = map {
        Test::Tmpl::Redis->new('cluster-enabled' => 'yes', 'cluster-port' => free_port(), 'cluster-node-timeout' => 1000,
            'cluster-replica-validity-factor' => 0, 'repl-diskless-sync-delay' => 0, ($args{tls} ? (port => 0, 'tls-port' => free_port(), 'tls-cluster' => 'yes') : ()),
            %{ $args{options} // {} })
    } 1 .. $masters * (1 + ($args{replicas} // 0));
    my $self = bless { nodes => \@nodes, masters => $masters }, $class;
    for my $n (0 .. $masters - 1) {
        $nodes[$n]->command('CLUSTER', 'SET-CONFIG-EPOCH', $n + 1);
        $nodes[$n]->command('CLUSTER', 'ADDSLOTSRANGE', int($SLOTS * $n / $masters), int($SLOTS * ($n + 1) / $masters) - 1);
    }
    $_->command('CLUSTER', 'MEET', '127.0.0.1', $nodes[0]->port, $nodes[0]{options}{'cluster-port'}) for @nodes[1 .. $#nodes];
    wait_for { !grep { $_->command('CLUSTER', 'INFO') !~ /cluster_state:ok.*cluster_known_nodes:${\ scalar @nodes}\D/s } @nodes }
        or die "the cluster does not form\n";
    for my $n ($masters .. $#nodes) {
        my $id = $nodes[$n - $masters]->command('CLUSTER', 'MYID');
        # a node learns of the master by gossip, and may not know it yet
        wait_for { eval { $nodes[$n]->command('CLUSTER', 'REPLICATE', $id) } } or die "no replica of $id\n";
        wait_for { $nodes[$n]->command('INFO', 'replication') =~ /master_link_status:up/ } or die "a replica has no master\n";
    }
    return $self;
}

sub uri { return 'redis+cluster://' . join ',', map { '127.0.0.1:' . $_->port } @{ $_[0]{nodes} }[0, 1] }
sub nodes { return @{ $_[0]{nodes} } }

sub slot { return $_[0]{nodes}[0]->command('CLUSTER', 'KEYSLOT', $_[1]) }

# The master of a slot, as node $asked (by default the first running node) says; undef if it is none of our nodes.
sub master {
    my ($self, $slot, $asked) = @_;
    $asked //= (grep { Test::Tmpl::Process::alive($_->{pid}) } $self->nodes)[0];
    my ($range) = grep { $_->[0] <= $slot && $slot <= $_->[1] } @{ $asked->command('CLUSTER', 'SLOTS') } or return undef;
    return (grep { $_->port == $range->[2][1] } $self->nodes)[0];
}

# Begins to move a slot; from now on new keys of the slot are at the master $to.
sub begin_move {
    my ($self, $slot, $to) = @_;
    my $from = $self->master($slot);
    $to->command('CLUSTER', 'SETSLOT', $slot, 'IMPORTING', $from->command('CLUSTER', 'MYID'));
    $from->command('CLUSTER', 'SETSLOT', $slot, 'MIGRATING', $to->command('CLUSTER', 'MYID'));
    return $from;
}

# Moves the keys of a slot whose move has begun.
sub move_keys {
    my ($self, $slot, $from, $to) = @_;
    while (my @keys = @{ $from->command('CLUSTER', 'GETKEYSINSLOT', $slot, 10) }) {
        $from->command('MIGRATE', '127.0.0.1', $to->port, '', 0, 5000, 'KEYS', @keys);
    }
    return;
}

sub end_move {
    my ($self, $slot, $from, $to) = @_;
    my $id = $to->command('CLUSTER', 'MYID');
    $_->command('CLUSTER', 'SETSLOT', $slot, 'NODE', $id) for $to, $from;
    return;
}

1;
