// SPDX-License-Identifier: Apache-2.0
`include "npu_assert.svh"

/// Links that carry one burst at a time, in turn among the transfers that wait for them: which is
/// next, and when it has passed. Rule T-BST-3. The owner keeps what is due when, and gives the
/// operations: a grant says when "passed" has to come.
module npu_link #(
  /// Transfers: 2 to 4096, a power of two
  parameter int unsigned Transfers = 4096,
  /// Links: 2 to 8192, a power of two
  parameter int unsigned Links = 8192,
  /// Bits of a weight
  parameter int unsigned WeightWidth = 8,
  localparam int unsigned TransferWidth = $clog2(Transfers),
  localparam int unsigned LinkWidth = $clog2(Links)
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  // From the profile; still after the first operation
  input  logic [31:0]              cfg_burst_bytes_i,  // of a burst that is not the last; never 0

  // An operation; its operands hold until the response
  input  logic                     req_valid_i,
  output logic                     req_ready_o,
  input  logic [2:0]               req_op_i,        // 0 rate, 1 open, 2 arrive, 3 passed, 4 next,
                                                    // 5 cancel
  input  logic [63:0]              req_now_i,       // in 2^-20 cycles: arrive, passed, next
  input  logic [TransferWidth-1:0] req_transfer_i,  // open, arrive, cancel
  input  logic [LinkWidth-1:0]     req_link_i,      // rate, passed, next
  input  logic [63:0]              req_rate_i,      // rate: bytes per cycle, 48 digits after
                                                    // the point
  input  logic [2:0]               req_count_i,     // open: links on its way, 1 to 4
  input  logic [4*LinkWidth-1:0]   req_links_i,     // open: the first one lowest
  input  logic [4*WeightWidth-1:0] req_weights_i,   // open: bytes that each carries for one
  input  logic [31:0]              req_bytes_i,     // arrive: of the burst
  input  logic                     req_last_i,      // arrive: it is the transfer's last

  output logic                     rsp_valid_o,
  input  logic                     rsp_ready_i,
  output logic                     rsp_last_o,      // one response each
  output logic                     rsp_error_o,     // nothing was done: see the page
  output logic                     rsp_left_o,      // passed: that was the last link of its way
  output logic                     rsp_final_o,     // and it was its transfer's last: closed
  output logic                     rsp_grant_o,     // a link begins to carry a burst
  output logic [LinkWidth-1:0]     rsp_link_o,      // which link
  output logic [TransferWidth-1:0] rsp_transfer_o,  // whose burst: that left, or that begins
  output logic [31:0]              rsp_bytes_o,     // of one that begins, never 0
  output logic [63:0]              rsp_until_o,     // when it has passed

  output logic                     busy_o           // needs the clock
);
  `NPU_POWER_OF_TWO(Transfers, 2, 4096)
  `NPU_POWER_OF_TWO(Links, 2, 8192)
  `NPU_RANGE(WeightWidth, 1, 8)

  localparam int unsigned Hops = 4;  // links on a way at most
  localparam int unsigned HopWidth = $clog2(Hops);
  localparam int unsigned Places = Transfers * Hops;
  localparam int unsigned PlaceWidth = TransferWidth + HopWidth;
  localparam int unsigned WaitingWidth = 17;  // bursts of a transfer under way (T-BST-2)

  localparam logic [2:0] OpRate   = 3'd0;
  localparam logic [2:0] OpOpen   = 3'd1;
  localparam logic [2:0] OpArrive = 3'd2;
  localparam logic [2:0] OpPassed = 3'd3;
  localparam logic [2:0] OpNext   = 3'd4;
  localparam logic [2:0] OpCancel = 3'd5;

  // A place is a transfer before one of the links of its way: {transfer, which link of the way}.

  typedef struct packed {
    logic                open;
    logic                ended;  // its last burst has come
    logic [HopWidth-1:0] most;   // links on its way, less one
  } transfer_t;
  localparam int unsigned TransferBits = 2 + HopWidth;

  typedef struct packed {
    logic                  busy;
    logic                  alive;  // whose burst it carries was not cancelled
    logic                  ends;   // that burst is its transfer's last
    logic [PlaceWidth-1:0] place;  // whose burst it carries
    logic [PlaceWidth:0]   first;  // of those that wait: {valid, place}
    logic [PlaceWidth:0]   last;
  } link_t;
  localparam int unsigned LinkBits = 5 + 3 * PlaceWidth;

  typedef struct packed {
    logic [WaitingWidth-1:0] waiting;  // bursts
    logic                    ends;     // the transfer's last one is among them
    logic                    paced;    // how long a whole burst takes is known
  } place_state_t;
  localparam int unsigned PlaceBits = 2 + WaitingWidth;

  typedef enum logic [4:0] {
    StWalk,     // after reset: no transfer is open, no link carries anything
    StIdle,
    StAct,      // what is kept of transfer and link is here
    StOpen,     // one link of the way after the other
    StWay,      // the place is looked up
    StPlace,    // it is here; its link is looked up
    StWait,     // the link is here: one more burst waits
    StJoin,     // its transfer goes to the end of the turn
    StTurn,     // does the link take the first one?
    StTake,     // that one leaves the turn
    StAgain,    // it goes to the end: more of its bursts wait
    StTime,     // how long does the burst take?
    StDivide,
    StKept,     // link and place are written
    StDrop,     // cancel: the link is here
    StLeave,    // the transfer leaves the turn
    StMark,     // the burst of it on the link has no transfer any more
    StRespond
  } state_e;

  state_e state_d, state_q;
  logic [2:0]               op_q;
  logic [63:0]              now_q;
  logic [TransferWidth-1:0] transfer_d, transfer_q;
  logic [LinkWidth-1:0]     number_d, number_q;    // of the link
  link_t                    link_d, link_q;        // what is kept of it
  logic [PlaceWidth-1:0]    place_d, place_q;
  place_state_t             kept_d, kept_q;        // what is kept of the place
  logic [HopWidth-1:0]      most_d, most_q;
  logic [31:0]              bytes_d, bytes_q;
  logic                     ends_d, ends_q;        // the burst that comes is its transfer's last
  logic                     asked_d, asked_q;      // u_turns or u_pace is at it
  logic                     error_d, error_q, left_d, left_q, final_d, final_q, grant_d, grant_q;
  logic [63:0]              until_d, until_q;

  localparam int unsigned WalkWidth = TransferWidth > LinkWidth ? TransferWidth : LinkWidth;
  logic [WalkWidth-1:0]     walk_q;

  // ---- what is kept ----

  logic                     transfer_we, link_we, place_we, hop_we, short_we, rate_we, time_we;
  logic [TransferWidth-1:0] transfer_waddr, transfer_raddr;
  logic [LinkWidth-1:0]     link_waddr, link_raddr;
  logic [PlaceWidth-1:0]    place_raddr;
  transfer_t                transfer_wdata, transfer_rdata;
  link_t                    link_wdata, link_rdata;
  place_state_t             place_wdata, place_rdata;
  logic [LinkWidth-1:0]     hop_link, way_link;
  logic [WeightWidth-1:0]   hop_weight, way_weight;
  logic [31:0]              short_rdata;
  logic [63:0]              rate_rdata, time_rdata, pace_time;
  logic [TransferBits-1:0]  transfer_bits;
  logic [LinkBits-1:0]      link_bits;
  logic [PlaceBits-1:0]     place_bits;

  npu_ram #(.Width(TransferBits), .Depth(Transfers)) u_transfer (
    .clk_i, .we_i(transfer_we), .waddr_i(transfer_waddr), .wdata_i(transfer_wdata),
    .raddr_i(transfer_raddr), .rdata_o(transfer_bits)
  );
  npu_ram #(.Width(32), .Depth(Transfers)) u_short (             // bytes of its last burst
    .clk_i, .we_i(short_we), .waddr_i(transfer_q), .wdata_i(req_bytes_i),
    .raddr_i(transfer_raddr), .rdata_o(short_rdata)
  );
  npu_ram #(.Width(LinkBits), .Depth(Links)) u_link (
    .clk_i, .we_i(link_we), .waddr_i(link_waddr), .wdata_i(link_wdata),
    .raddr_i(link_raddr), .rdata_o(link_bits)
  );
  npu_ram #(.Width(64), .Depth(Links)) u_rate (
    .clk_i, .we_i(rate_we), .waddr_i(number_q), .wdata_i(req_rate_i),
    .raddr_i(number_q), .rdata_o(rate_rdata)
  );
  npu_ram #(.Width(LinkWidth + WeightWidth), .Depth(Places)) u_hop (
    .clk_i, .we_i(hop_we), .waddr_i(place_q), .wdata_i({way_link, way_weight}),
    .raddr_i(place_raddr), .rdata_o({hop_link, hop_weight})
  );
  npu_ram #(.Width(PlaceBits), .Depth(Places)) u_place (
    .clk_i, .we_i(place_we), .waddr_i(place_q), .wdata_i(place_wdata),
    .raddr_i(place_raddr), .rdata_o(place_bits)
  );
  npu_ram #(.Width(64), .Depth(Places)) u_time (                 // of a whole burst
    .clk_i, .we_i(time_we), .waddr_i(place_q), .wdata_i(pace_time),
    .raddr_i(place_raddr), .rdata_o(time_rdata)
  );
  assign transfer_rdata = transfer_bits;
  assign link_rdata     = link_bits;
  assign place_rdata    = place_bits;

  // ---- turns ----

  logic                turn_asks, turn_remove, turn_ready, turn_done;
  logic [PlaceWidth:0] turn_first, turn_last;

  npu_wait_lists #(.Queues(Places)) u_turns (
    .clk_i, .rst_ni,
    .start_valid_i (turn_asks && !asked_q),
    .start_ready_o (turn_ready),
    .start_remove_i(turn_remove),
    .start_sort_i  (1'b0),
    .start_queue_i (place_q),
    .start_now_i   ('0),
    .start_first_i (link_q.first),
    .start_last_i  (link_q.last),
    .done_o        (turn_done),
    .first_o       (turn_first),
    .last_o        (turn_last)
  );
  assign turn_remove = state_q == StTake || state_q == StLeave;
  assign turn_asks   = turn_remove || state_q == StJoin || state_q == StAgain;

  // ---- times ----

  localparam int unsigned LoadWidth = 32 + WeightWidth;
  logic pace_done;

  npu_dma_pace #(.BytesWidth(LoadWidth)) u_pace (
    .clk_i, .rst_ni,
    .start_i(state_q == StDivide && !asked_q),
    .bytes_i(LoadWidth'(bytes_q) * LoadWidth'(hop_weight)),
    .rate_i (rate_rdata),
    .done_o (pace_done),
    .time_o (pace_time)
  );

  // The burst that arrives is a whole one, or the last.
  logic legal;
  assign legal = req_bytes_i != '0 && (req_bytes_i == cfg_burst_bytes_i ||
                                       (req_last_i && req_bytes_i < cfg_burst_bytes_i));

  // Bursts of a transfer keep their order: the last one is after all others.
  logic takes_last;
  assign takes_last = kept_q.ends && kept_q.waiting == WaitingWidth'(1);

  always_comb begin
    state_d    = state_q;
    transfer_d = transfer_q;
    number_d   = number_q;
    link_d     = link_q;
    place_d    = place_q;
    kept_d     = kept_q;
    most_d     = most_q;
    bytes_d    = bytes_q;
    ends_d     = ends_q;
    asked_d    = 1'b0;
    error_d    = error_q;
    left_d     = left_q;
    final_d    = final_q;
    grant_d    = grant_q;
    until_d    = until_q;

    transfer_we    = 1'b0;
    transfer_waddr = transfer_q;
    transfer_wdata = '0;
    transfer_raddr = transfer_q;
    short_we       = 1'b0;
    link_we        = 1'b0;
    link_waddr     = number_q;
    link_wdata     = link_q;
    link_raddr     = number_q;
    rate_we        = 1'b0;
    hop_we         = 1'b0;
    way_link       = LinkWidth'(req_links_i >> (LinkWidth * 32'(place_q[HopWidth-1:0])));
    way_weight     = WeightWidth'(req_weights_i >> (WeightWidth * 32'(place_q[HopWidth-1:0])));
    place_we       = 1'b0;
    place_wdata    = kept_q;
    place_raddr    = place_q;
    time_we        = 1'b0;

    if (turn_asks) begin
      asked_d = !turn_done && (asked_q || turn_ready);
      if (turn_done) begin
        link_d.first = turn_first;
        link_d.last  = turn_last;
      end
    end

    unique case (state_q)
      StWalk: begin
        transfer_we    = 1'b1;
        transfer_waddr = walk_q[TransferWidth-1:0];
        link_we        = 1'b1;
        link_waddr     = walk_q[LinkWidth-1:0];
        link_wdata     = '0;
        if (&walk_q) state_d = StIdle;
      end

      StIdle: begin
        transfer_raddr = req_transfer_i;
        link_raddr     = req_link_i;
        if (req_valid_i) begin
          transfer_d = req_transfer_i;
          number_d   = req_link_i;
          place_d    = {req_transfer_i, HopWidth'(0)};
          ends_d     = req_last_i;
          left_d     = 1'b0;
          final_d    = 1'b0;
          grant_d    = 1'b0;
          state_d    = StAct;
        end
      end

      StAct: begin
        most_d  = transfer_rdata.most;
        link_d  = link_rdata;
        error_d = 1'b1;
        state_d = StRespond;
        unique case (op_q)
          OpRate: begin
            error_d = 1'b0;
            rate_we = 1'b1;
          end
          OpOpen: begin
            if (!transfer_rdata.open && req_count_i != '0 && req_count_i <= 3'(Hops)) begin
              error_d             = 1'b0;
              most_d              = HopWidth'(req_count_i - 3'd1);
              transfer_we         = 1'b1;
              transfer_wdata.open = 1'b1;
              transfer_wdata.most = most_d;
              state_d             = StOpen;
            end
          end
          OpArrive: begin
            if (transfer_rdata.open && !transfer_rdata.ended && legal) begin
              error_d              = 1'b0;
              transfer_we          = 1'b1;
              transfer_wdata       = transfer_rdata;
              transfer_wdata.ended = ends_q;
              short_we             = ends_q;
              state_d              = StWay;
            end
          end
          OpPassed: begin
            if (link_rdata.busy) begin
              error_d         = 1'b0;
              link_we         = 1'b1;
              link_wdata      = link_rdata;
              link_wdata.busy = 1'b0;
              ends_d          = link_rdata.ends;
              transfer_d      = link_rdata.place[PlaceWidth-1:HopWidth];
              transfer_raddr  = link_rdata.place[PlaceWidth-1:HopWidth];
              place_d         = link_rdata.place + PlaceWidth'(1);
              if (link_rdata.alive) state_d = StWay;
            end
          end
          OpNext: begin
            error_d = 1'b0;
            if (link_rdata.first[PlaceWidth]) state_d = StTurn;
          end
          OpCancel: begin
            if (transfer_rdata.open) begin
              error_d     = 1'b0;
              transfer_we = 1'b1;
              state_d     = StWay;
            end
          end
          default: ;
        endcase
      end

      StOpen: begin
        hop_we      = 1'b1;
        place_we    = 1'b1;
        place_wdata = '0;
        place_d     = place_q + PlaceWidth'(1);
        if (place_q[HopWidth-1:0] == most_q) state_d = StRespond;
      end

      // ---- a burst comes to a link ----

      StWay: begin
        state_d = StPlace;
        if (op_q == OpPassed && link_q.place[HopWidth-1:0] == transfer_rdata.most) begin
          left_d      = 1'b1;
          final_d     = ends_q;
          transfer_we = ends_q;
          state_d     = StRespond;
        end
      end

      StPlace: begin
        kept_d     = place_rdata;
        number_d   = hop_link;
        link_raddr = hop_link;
        state_d    = op_q == OpCancel ? StDrop : StWait;
      end

      StWait: begin
        link_d         = link_rdata;
        kept_d.waiting = kept_q.waiting + WaitingWidth'(1);
        kept_d.ends    = ends_q;
        place_we       = 1'b1;
        place_wdata    = kept_d;
        state_d        = kept_q.waiting == '0 ? StJoin : StTurn;
      end

      StJoin: if (turn_done) state_d = StTurn;

      // ---- a link that carries nothing takes the first transfer that waits ----

      StTurn: begin
        place_raddr = link_q.first[PlaceWidth-1:0];
        if (link_q.busy) begin
          link_we = 1'b1;
          state_d = StRespond;
        end else begin
          place_d    = link_q.first[PlaceWidth-1:0];
          transfer_d = link_q.first[PlaceWidth-1:HopWidth];
          state_d    = StTake;
        end
      end

      StTake: begin
        kept_d = place_rdata;
        if (turn_done) state_d = kept_d.waiting == WaitingWidth'(1) ? StTime : StAgain;
      end

      StAgain: if (turn_done) state_d = StTime;

      StTime: begin
        bytes_d        = takes_last ? short_rdata : cfg_burst_bytes_i;
        link_d.busy    = 1'b1;
        link_d.alive   = 1'b1;
        link_d.ends    = takes_last;
        link_d.place   = place_q;
        kept_d.waiting = kept_q.waiting - WaitingWidth'(1);
        grant_d        = 1'b1;
        until_d        = now_q + time_rdata;
        state_d        = kept_q.paced && bytes_d == cfg_burst_bytes_i ? StKept : StDivide;
      end

      StDivide: begin
        asked_d = !pace_done;
        if (pace_done) begin
          until_d = now_q + pace_time;
          if (bytes_q == cfg_burst_bytes_i) begin
            time_we      = 1'b1;
            kept_d.paced = 1'b1;
          end
          state_d = StKept;
        end
      end

      StKept: begin
        link_we  = 1'b1;
        place_we = 1'b1;
        state_d  = StRespond;
      end

      // ---- cancel, link by link of its way ----

      StDrop: begin
        link_d  = link_rdata;
        state_d = kept_q.waiting == '0 ? StMark : StLeave;
      end

      StLeave: if (turn_done) state_d = StMark;

      StMark: begin
        link_we = 1'b1;
        if (link_q.place[PlaceWidth-1:HopWidth] == transfer_q) link_wdata.alive = 1'b0;
        place_d = place_q + PlaceWidth'(1);
        state_d = place_q[HopWidth-1:0] == most_q ? StRespond : StWay;
      end

      default: if (rsp_ready_i) state_d = StIdle;  // StRespond
    endcase
  end

  assign req_ready_o    = state_q == StIdle;
  assign rsp_valid_o    = state_q == StRespond;
  assign rsp_last_o     = 1'b1;
  assign rsp_error_o    = error_q;
  assign rsp_left_o     = left_q;
  assign rsp_final_o    = final_q;
  assign rsp_grant_o    = grant_q;
  assign rsp_link_o     = number_q;
  assign rsp_transfer_o = transfer_q;
  assign rsp_bytes_o    = bytes_q;
  assign rsp_until_o    = until_q;
  assign busy_o         = state_q != StIdle;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StWalk;
      {op_q, now_q, transfer_q, number_q, link_q, place_q, kept_q, most_q, bytes_q, ends_q, asked_q,
       error_q, left_q, final_q, grant_q, until_q, walk_q} <= '0;
    end else begin
      state_q    <= state_d;
      transfer_q <= transfer_d;
      number_q   <= number_d;
      link_q     <= link_d;
      place_q    <= place_d;
      kept_q     <= kept_d;
      most_q     <= most_d;
      bytes_q    <= bytes_d;
      ends_q     <= ends_d;
      asked_q    <= asked_d;
      error_q    <= error_d;
      left_q     <= left_d;
      final_q    <= final_d;
      grant_q    <= grant_d;
      until_q    <= until_d;
      if (state_q == StWalk) walk_q <= walk_q + WalkWidth'(1);
      if (state_q == StIdle && req_valid_i) begin
        op_q  <= req_op_i;
        now_q <= req_now_i;
      end
    end
  end

  `NPU_ASSERT(TransferHasItsWidth, $bits(transfer_t) == TransferBits)
  `NPU_ASSERT(LinkHasItsWidth, $bits(link_t) == LinkBits)
  `NPU_ASSERT(PlaceHasItsWidth, $bits(place_state_t) == PlaceBits)
  `NPU_ASSERT(BurstSizeLegal, state_q == StAct && op_q != OpRate |-> cfg_burst_bytes_i != '0)
  // One burst at a time, and none without a transfer that waits.
  `NPU_ASSERT(OneAtATime, state_q == StTake |-> !link_q.busy)
  `NPU_ASSERT(TakesOneThatWaits, state_q == StTime |-> kept_q.waiting != '0)
  `NPU_ASSERT(WaitingFits, state_q == StWait |-> !(&kept_q.waiting))
  `NPU_ASSERT(TurnIsNotEmpty, state_q == StTurn |-> link_q.first[PlaceWidth])
  `NPU_ASSERT(GrantNotEmpty, rsp_valid_o && rsp_grant_o |->
              rsp_bytes_o != '0 && rsp_bytes_o <= cfg_burst_bytes_i)
  `NPU_ASSERT(LeftOrGrant, !(left_q && grant_q))
  `NPU_ASSERT(LastLeaves, final_q |-> left_q)
  `NPU_ASSERT(OperandsHeld, busy_o && state_q != StWalk && state_q != StAct && !rsp_valid_o |->
              $stable(req_bytes_i) && $stable(req_links_i) && $stable(req_weights_i))
  `NPU_ASSERT(RspHeld, rsp_valid_o && !rsp_ready_i |=> rsp_valid_o && $stable(rsp_error_o) &&
              $stable(rsp_left_o) && $stable(rsp_final_o) && $stable(rsp_grant_o) &&
              $stable(rsp_link_o) && $stable(rsp_transfer_o) && $stable(rsp_bytes_o) &&
              $stable(rsp_until_o))
endmodule
