// SPDX-License-Identifier: Apache-2.0
`include "npu_assert.svh"

/// Entries with a key each, and the one with the smallest key, among equals the one that was set
/// first. A change plays the games from its leaf to the root, one per clock.
module npu_tournament #(
  /// Entries, a power of two from 8 to 2048
  parameter int unsigned Entries = 64,
  /// Bits of a key
  parameter int unsigned KeyBits = 64,
  localparam int unsigned IdWidth = $clog2(Entries)
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               req_valid_i,
  output logic               req_ready_o,
  // sets the entry to that key, again if it is set; else takes it out
  input  logic               req_set_i,
  input  logic [IdWidth-1:0] req_id_i,
  input  logic [KeyBits-1:0] req_key_i,

  input  logic [IdWidth-1:0] look_id_i,
  output logic               pending_o,      // whether that one is set; while ready

  output logic               first_valid_o,  // the first one, while ready
  output logic [IdWidth-1:0] first_id_o,
  output logic [KeyBits-1:0] first_key_o
);

  localparam int unsigned SequenceBits = 40;  // never wraps: a change takes several clocks
  localparam int unsigned WholeBits = KeyBits + SequenceBits;

  typedef enum logic [1:0] {StClear, StIdle, StPlay} state_e;
  state_e state_q, state_d;

  logic [WholeBits:0] key_mem [0:Entries-1];     // {set, key, sequence}
  logic [IdWidth-1:0] winner_mem [0:Entries-1];  // by inner node; 0 has no meaning
  logic [IdWidth-1:0] id_q, id_d;                // the winner on the way up
  logic [WholeBits:0] key_q, key_d;              // and its key
  logic [IdWidth:0]   node_q, node_d;            // the present node: leaves are Entries on
  logic [WholeBits:0] first_key_q;
  logic [IdWidth-1:0] first_id_q;
  logic [SequenceBits-1:0] sequence_q;

  logic [IdWidth:0]   other_node, parent;
  logic [IdWidth-1:0] other_id;
  logic [WholeBits:0] other_key;
  logic               other_wins;
  logic               key_we, winner_we;
  logic [IdWidth-1:0] key_waddr, winner_waddr, winner_wdata;
  logic [WholeBits:0] key_wdata;

  assign other_node = node_q ^ (IdWidth + 1)'(1);
  assign other_id   = other_node[IdWidth] ? other_node[IdWidth-1:0]
                                          : winner_mem[other_node[IdWidth-1:0]];
  assign other_key  = key_mem[other_id];
  assign other_wins = other_key[WholeBits] &&
                      (!key_q[WholeBits] || other_key[WholeBits-1:0] < key_q[WholeBits-1:0]);
  assign parent     = node_q >> 1;

  // A leaf below an inner node: the first one.
  function automatic logic [IdWidth-1:0] leaf_below(input logic [IdWidth-1:0] node);
    logic [IdWidth:0] down;
    down = {1'b0, node};
    for (int unsigned i = 0; i < IdWidth; i++) begin
      if (!down[IdWidth]) down = down << 1;
    end
    leaf_below = down[IdWidth-1:0];
  endfunction

  always_comb begin
    state_d      = state_q;
    id_d         = id_q;
    key_d        = key_q;
    node_d       = node_q;
    key_we       = 1'b0;
    key_waddr    = id_q;
    key_wdata    = '0;
    winner_we    = 1'b0;
    winner_waddr = parent[IdWidth-1:0];
    winner_wdata = other_wins ? other_id : id_q;
    unique case (state_q)
      StClear: begin
        // Leaves and inner nodes alike; where nothing is set any leaf below is as good a winner as
        // another.
        key_we       = 1'b1;
        winner_we    = 1'b1;
        winner_waddr = id_q;
        winner_wdata = leaf_below(id_q);
        id_d         = id_q + IdWidth'(1);
        if (id_q == IdWidth'(Entries - 1)) state_d = StIdle;
      end
      StIdle: begin
        if (req_valid_i) begin
          key_we    = 1'b1;
          key_waddr = req_id_i;
          key_wdata = {req_set_i, req_key_i, sequence_q};
          id_d      = req_id_i;
          key_d     = key_wdata;
          node_d    = {1'b1, req_id_i};
          state_d   = StPlay;
        end
      end
      StPlay: begin
        winner_we = 1'b1;
        node_d    = parent;
        if (other_wins) begin
          id_d  = other_id;
          key_d = other_key;
        end
        if (parent == (IdWidth + 1)'(1)) state_d = StIdle;
      end
      default: state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (key_we) key_mem[key_waddr] <= key_wdata;
    if (winner_we) winner_mem[winner_waddr] <= winner_wdata;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StClear;
      {id_q, key_q, node_q, first_key_q, first_id_q, sequence_q} <= '0;
    end else begin
      state_q <= state_d;
      id_q    <= id_d;
      key_q   <= key_d;
      node_q  <= node_d;
      if (state_q == StIdle && req_valid_i) sequence_q <= sequence_q + SequenceBits'(1);
      if (state_q == StPlay) begin
        first_key_q <= key_d;
        first_id_q  <= id_d;
      end
    end
  end

  assign req_ready_o   = state_q == StIdle;
  assign pending_o     = key_mem[look_id_i][WholeBits];
  assign first_valid_o = first_key_q[WholeBits];
  assign first_id_o    = first_id_q;
  assign first_key_o   = first_key_q[WholeBits-1 -: KeyBits];

  `NPU_ASSERT(EntriesAreAPowerOfTwo, 2 ** IdWidth == Entries)
  `NPU_ASSERT(RequestHeldUntilTaken,
      req_valid_i && !req_ready_o |=> req_valid_i && $stable(req_id_i))
endmodule
